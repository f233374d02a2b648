//! What a person can ask of the test model, written into the message.
//!
//! | Written | Effect |
//! | --- | --- |
//! | `SAY text to the end of the line` | answers exactly that |
//! | `CALL {"name": "exec", "args": {…}} END` | calls the tool; with its result comes an answer that contains it. Several are called at once |
//! | `SLEEP=3` | takes that many seconds: a streamed text comes spread over them, anything else after them |
//! | `FAIL=429` | fails with that HTTP status, 400 to 599 |
//! | `HANG` | never answers, until the caller leaves |
//!
//! `SLEEP` goes with any other. A directive that cannot be followed is answered with what is wrong with it.

use std::time::Duration;

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

/// Longest wait that can be asked for.
const MAX_SLEEP: Duration = Duration::from_hours(1);

/// A tool to call.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool's name as the runtime offers it.
    pub name: String,
    /// Its arguments; for a tool that takes free text, that text.
    #[serde(default)]
    pub args: Value,
}

/// What one message asks for; see the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directives {
    /// How long the answer takes.
    pub sleep: Duration,
    /// The status to fail with.
    pub fail: Option<StatusCode>,
    /// Never answer.
    pub hang: bool,
    /// Tools to call, at once.
    pub calls: Vec<Call>,
    /// Exact words to answer.
    pub say: Option<String>,
    /// Why a directive cannot be followed, a sentence with the way out.
    pub fault: Option<String>,
}

impl Directives {
    /// Reads the directives of a message.
    pub fn read(message: &str) -> Self {
        let mut found = Self::default();
        let rest = found.take_calls(message);
        for line in rest.lines() {
            let words = match line.trim_start().strip_prefix("SAY ") {
                Some(say) => {
                    found.say = Some(say.trim().to_owned());
                    continue;
                }
                None => line.split_whitespace(),
            };
            for word in words {
                found.take_word(word);
            }
        }
        found
    }

    fn take_word(&mut self, word: &str) {
        if word == "HANG" {
            self.hang = true;
        } else if let Some(status) = word.strip_prefix("FAIL=") {
            match status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok()) {
                Some(status) if (400..600).contains(&status.as_u16()) => self.fail = Some(status),
                _ => self.fault("FAIL= takes an HTTP status from 400 to 599, for example FAIL=429."),
            }
        } else if let Some(seconds) = word.strip_prefix("SLEEP=") {
            match seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
                Some(sleep) if sleep <= MAX_SLEEP => self.sleep = sleep,
                _ => self.fault("SLEEP= takes seconds up to 3600, for example SLEEP=3."),
            }
        }
    }

    /// Takes every `CALL … END` and gives back the message without them.
    fn take_calls(&mut self, message: &str) -> String {
        let mut kept = String::new();
        let mut rest = message;
        while let Some(at) = rest.find("CALL {") {
            let (before, call) = rest.split_at(at);
            kept.push_str(before);
            let body = &call["CALL ".len()..];
            let mut values = serde_json::Deserializer::from_str(body).into_iter::<Call>();
            match values.next() {
                Some(Ok(call)) => self.calls.push(call),
                _ => self.fault(
                    "CALL takes a JSON object with name and args and then END, for example \
                     CALL {\"name\": \"exec\", \"args\": {\"command\": \"id\"}} END.",
                ),
            }
            let after = body.get(values.byte_offset()..).unwrap_or_default();
            rest = after.trim_start().strip_prefix("END").unwrap_or_else(|| {
                self.fault("CALL {…} must be followed by END.");
                after
            });
        }
        kept.push_str(rest);
        kept
    }

    fn fault(&mut self, why: &str) {
        self.fault.get_or_insert_with(|| why.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_ordinary_message_asks_for_nothing() {
        assert_eq!(Directives::read("Please CALL me, or SAY it: FAIL is no option. SLEEP well"), Directives::default());
    }

    #[test]
    fn words_in_a_call_are_not_directives() {
        let found = Directives::read(
            "SLEEP=0.5 CALL {\"name\":\"exec\",\"args\":{\"command\":\"echo HANG END FAIL=500\"}} END and \
             CALL {\"name\":\"ls\"} END",
        );
        assert_eq!(found.sleep, Duration::from_millis(500));
        assert_eq!(found.calls.len(), 2);
        assert_eq!(found.calls[0].args, json!({"command": "echo HANG END FAIL=500"}));
        assert!(!found.hang && found.fail.is_none() && found.fault.is_none());
    }

    #[test]
    fn say_takes_the_line() {
        let found = Directives::read("SLEEP=2\nSAY  all is HANG well \nFAIL=429");
        assert_eq!(found.say.as_deref(), Some("all is HANG well"));
        assert_eq!(found.fail, Some(StatusCode::TOO_MANY_REQUESTS));
        assert!(!found.hang);
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        for wrong in
            ["FAIL=200", "FAIL=x", "SLEEP=-1", "SLEEP=1e9", "CALL {\"nam\":1} END", "CALL {\"name\":\"x\"} and"]
        {
            assert!(Directives::read(wrong).fault.is_some(), "{wrong}");
        }
    }
}
