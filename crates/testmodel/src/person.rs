//! What a person wrote, out of what a runtime sends as "user" messages.
//!
//! Why: `OpenClaw` and Codex put their own context into the conversation under the role `user`, before, after and around the
//! words of the person. A model that took the last such message for the person's would answer the machine, and the gateway
//! refuses to stream its own context back.
//!
//! What arrives (`OpenClaw` 2026.9.6, Codex 0.171):
//! * a message, mostly the last, that is nothing but `<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> … <<<END_…>>>`;
//! * the person's words after `[Mon 2026-11-30 08:18 UTC] `, on a conversation's first message followed by an empty line and
//!   `Runtime: agent=… | session=…`;
//! * messages of Codex itself: `<environment_context>…`, `# AGENTS.md instructions…`;
//! * in dedicated mode one message with everything: context, the conversation so far as text, then `Current user request:`.

const INTERNAL_BEGIN: &str = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";
const INTERNAL_END: &str = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>";
const CURRENT_REQUEST: &str = "\nCurrent user request:\n";
const EARLIER_BEGIN: &str = "<conversation_context>";
const EARLIER_END: &str = "</conversation_context>";
const EARLIER_USER: &str = "\n[user]\n";

/// Openings of messages that Codex writes by itself.
const MACHINE_OPENINGS: [&str; 5] =
    ["<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md instructions"];

/// One message of a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// What the person wrote, without wrapping.
    pub(crate) text: String,
    /// How many messages of the person before this one are quoted inside the same message.
    pub(crate) quoted_before: usize,
}

/// The person's words in the text parts of one "user" message; `None` when a machine wrote all of it.
pub(crate) fn words<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<Words> {
    let mut quoted_before = 0;
    let mut own = Vec::new();
    for part in parts {
        let part = without_internal_context(part);
        let part = part.trim();
        if part.is_empty() || MACHINE_OPENINGS.iter().any(|opening| part.starts_with(opening)) {
            continue;
        }
        match assembled(part) {
            Some((context, request)) => {
                quoted_before += quoted(context);
                own.push(plain(request).to_owned());
            }
            None => own.push(plain(part).to_owned()),
        }
    }
    (!own.is_empty()).then(|| Words { text: own.join("\n"), quoted_before })
}

fn without_internal_context(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, inside)) = rest.split_once(INTERNAL_BEGIN) {
        kept.push_str(before);
        rest = inside.split_once(INTERNAL_END).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// Context and request of a message that the gateway assembled for a Harness.
fn assembled(text: &str) -> Option<(&str, &str)> {
    text.starts_with("OpenClaw ").then(|| text.rsplit_once(CURRENT_REQUEST)).flatten()
}

fn quoted(context: &str) -> usize {
    context
        .rsplit_once(EARLIER_BEGIN)
        .map_or(0, |(_, earlier)| earlier.split(EARLIER_END).next().unwrap_or_default().matches(EARLIER_USER).count())
}

/// Without the time in front and the note about the runtime behind.
fn plain(text: &str) -> &str {
    let text = text.split_once("\n\nRuntime: agent=").map_or(text, |(words, _)| words);
    let stamped = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    match stamped {
        Some((stamp, words)) if is_stamp(stamp) => words,
        _ => text,
    }
    .trim()
}

/// `Mon 2026-11-30 08:18 UTC`: a weekday, a date, a time, perhaps a zone.
fn is_stamp(stamp: &str) -> bool {
    let mut parts = stamp.split(' ');
    let like = |part: Option<&str>, pattern: &str| {
        part.is_some_and(|part| {
            part.len() == pattern.len()
                && part.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                    b'0' => byte.is_ascii_digit(),
                    b'a' => byte.is_ascii_alphabetic(),
                    other => byte == other,
                })
        })
    };
    like(parts.next(), "aaa") && like(parts.next(), "0000-00-00") && like(parts.next(), "00:00")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: &str) -> Option<String> {
        words([part]).map(|words| words.text)
    }

    #[test]
    fn plain_words_stay() {
        assert_eq!(text("[draft] hello").as_deref(), Some("[draft] hello"));
    }

    #[test]
    fn the_wrapping_of_a_first_message_goes() {
        let sent = "[Mon 2026-11-30 08:18 UTC] hello\nthere\n\nRuntime: agent=main | session=agent:main:x | host=vm";
        assert_eq!(text(sent).as_deref(), Some("hello\nthere"));
    }

    #[test]
    fn what_a_machine_wrote_is_nobodys_words() {
        assert_eq!(text("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nSAY x\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"), None);
        assert_eq!(text("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> cut off"), None);
        assert_eq!(words(["# AGENTS.md instructions for /ws\n…", "<environment_context>\n…"]), None);
    }

    #[test]
    fn internal_context_around_words_goes() {
        let sent = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>a<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nhello";
        assert_eq!(text(sent).as_deref(), Some("hello"));
    }

    #[test]
    fn an_assembled_message_yields_the_request_and_counts_the_quoted_ones() {
        let sent = "OpenClaw assembled context for this turn:\n\n<conversation_context>\n[user]\nHANG\n\n[assistant]\nno\n\n\
                    [user]\nagain\n</conversation_context>\n\nCurrent user request:\nhello";
        assert_eq!(words([sent]), Some(Words { text: "hello".to_owned(), quoted_before: 2 }));
    }
}
