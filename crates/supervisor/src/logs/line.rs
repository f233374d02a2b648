//! One line of a runtime, understood: when, how bad, who, and its text in a form that can be shown.

use occ_model::chat::LogLine;
use occ_model::time::Timestamp;
use serde_json::Value;

use super::Redactor;

/// Longest text of a line, in bytes; the rest is cut.
pub const LONGEST: usize = 8 * 1024;

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The OpenClaw gateway.
    Gateway,
    /// The Codex app-server.
    Harness,
    /// This supervisor.
    Supervisor,
}

impl Source {
    /// Its word in a [`LogLine`].
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Harness => "harness",
            Self::Supervisor => "supervisor",
        }
    }
}

/// Understands one raw line. `warning`: it came on standard error, where runtimes without a level write what is wrong.
pub(crate) fn understand(
    raw: &str,
    source: Source,
    warning: bool,
    now: Timestamp,
    redactor: &Redactor,
) -> Option<LogLine> {
    let raw = raw.trim_end();
    if raw.trim().is_empty() {
        return None;
    }
    let (level, part, text) = match serde_json::from_str::<Value>(raw) {
        Ok(Value::Object(map)) => {
            let level = word(&map, &["level", "logLevelName", "severity"]).map_or_else(|| by_stream(warning), level);
            let fields = map.get("fields").and_then(Value::as_object);
            let message = word(&map, &["message", "msg", "1", "0"])
                .or_else(|| fields.and_then(|fields| word(fields, &["message"])))
                .unwrap_or(raw);
            let part = word(&map, &["subsystem", "target"]);
            (level, part.is_some(), part.map_or_else(|| message.to_owned(), |part| format!("[{part}] {message}")))
        }
        _ => (by_stream(warning), false, raw.to_owned()),
    };
    // What the gateway prints beside its log is answers of the model and boxes for a terminal: conversations belong to people (I10).
    if source == Source::Gateway && !part && matches!(level, "info" | "debug") {
        return None;
    }
    Some(LogLine {
        at: Some(now),
        level: level.to_owned(),
        source: source.word().to_owned(),
        text: printable(&redactor.clean(&text)),
    })
}

fn word<'a>(map: &'a serde_json::Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| map.get(*name).and_then(Value::as_str))
}

fn by_stream(warning: bool) -> &'static str {
    if warning { "warn" } else { "info" }
}

fn level(word: &str) -> &'static str {
    match word.to_ascii_lowercase().as_str() {
        "trace" | "debug" | "silly" => "debug",
        "warn" | "warning" => "warn",
        "error" | "fatal" | "critical" => "error",
        _ => "info",
    }
}

/// Control characters as escapes, so that a line stays a line and a terminal obeys nothing; cut to [`LONGEST`].
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LONGEST));
    for c in text.chars() {
        if out.len() > LONGEST {
            out.push('…');
            break;
        }
        // Also what turns the direction of writing around.
        let hidden = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        if c.is_control() || hidden {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn line(raw: &str, warning: bool) -> LogLine {
        understand(raw, Source::Harness, warning, Timestamp::from_millis(0), &Redactor::new()).unwrap()
    }

    #[test]
    fn structured_lines_give_level_part_and_text() {
        let got = line(r#"{"level":"error","subsystem":"gateway/ws","message":"no","time":"x"}"#, false);
        assert_eq!((got.level.as_str(), got.text.as_str()), ("error", "[gateway/ws] no"));
        let got = line(r#"{"timestamp":"x","level":"WARN","fields":{"message":"odd"},"target":"codex"}"#, false);
        assert_eq!((got.level.as_str(), got.text.as_str()), ("warn", "[codex] odd"));
    }

    #[test]
    fn plain_lines_are_levelled_by_their_stream() {
        assert_eq!(line("hello", false).level, "info");
        assert_eq!(line("hello", true).level, "warn");
        assert!(understand("  \r\n", Source::Gateway, true, Timestamp::from_millis(0), &Redactor::new()).is_none());
    }

    #[test]
    fn control_characters_are_escaped_and_long_lines_cut() {
        assert_eq!(line("a\u{1b}[31mb\u{202e}c", false).text, "a\\u{1b}[31mb\\u{202e}c");
        assert!(line(&"x".repeat(3 * LONGEST), false).text.len() < LONGEST + 8);
    }

    #[test]
    fn i10_what_a_gateway_prints_beside_its_log_is_not_told() {
        let told =
            |raw, warning| understand(raw, Source::Gateway, warning, Timestamp::from_millis(0), &Redactor::new());
        for answer in ["Hello! You wrote: my diary", r#"{"level":"info","message":"Hello! You wrote: my diary"}"#] {
            assert_eq!(told(answer, false), None, "{answer}");
        }
        assert!(told("Error: the port is in use", true).is_some());
        assert!(told(r#"{"level":"info","subsystem":"gateway","message":"ready"}"#, false).is_some());
    }

    #[test]
    fn i10_structured_lines_are_redacted_too() {
        assert_eq!(line(r#"{"message":"key sk-abcdefghijkl"}"#, false).text, "key [redacted]");
    }
}
