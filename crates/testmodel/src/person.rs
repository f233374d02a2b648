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
//! * after a failed turn, `Continue the current task from the existing transcript…`: the words that failed stand before it, after
//!   `[Queued user message from a previous active turn…]` in the same message, or nowhere;
//! * in dedicated mode one message with everything: context, the conversation so far as text, then `Current user request:`.

const INTERNAL_BEGIN: &str = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";
const INTERNAL_END: &str = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>";
const CURRENT_REQUEST: &str = "\nCurrent user request:\n";
const EARLIER_BEGIN: &str = "<conversation_context>";
const EARLIER_END: &str = "</conversation_context>";
const EARLIER_USER: &str = "\n[user]\n";
const EARLIER_ASSISTANT: &str = "\n\n[assistant]\n";
const QUEUED: &str = "[Queued user message from a previous active turn";
const CONTINUATION: &str = "Continue the current task from the existing transcript";

/// Openings of messages that Codex writes by itself.
const MACHINE_OPENINGS: [&str; 5] =
    ["<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md instructions"];

/// What one "user" message is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// A machine wrote all of it.
    Nothing,
    /// The runtime asks to go on with what the person said before: it repeats a turn that failed.
    Continue,
    /// A person wrote.
    Words {
        /// What, without wrapping.
        text: String,
        /// How many messages of the person before this one are quoted inside the same message.
        quoted_before: usize,
    },
}

/// The person's words in the text parts of one "user" message.
pub(crate) fn said<'a>(parts: impl IntoIterator<Item = &'a str>) -> Said {
    let mut quoted = Vec::new();
    let mut own = Vec::new();
    let mut continues = false;
    for part in parts {
        let part = without_internal_context(part);
        let part = part.trim();
        if part.is_empty() || MACHINE_OPENINGS.iter().any(|opening| part.starts_with(opening)) {
            continue;
        }
        let (context, request) = assembled(part).unwrap_or(("", part));
        quoted.extend(quoted_in(context).map(str::to_owned));
        let request = plain(request);
        let (queued, request) = queued(request).map_or((None, request), |(queued, request)| (Some(queued), request));
        quoted.extend(queued.map(str::to_owned));
        if request.starts_with(CONTINUATION) {
            continues = true;
        } else {
            own.push(request.to_owned());
        }
    }
    let text = if own.is_empty() && continues { quoted.pop() } else { Some(own.join("\n")) };
    match text {
        None => Said::Continue,
        Some(text) if text.is_empty() => Said::Nothing,
        Some(text) => Said::Words { text, quoted_before: quoted.len() },
    }
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

/// The message of a failed turn and what the runtime sends after it in the same message.
fn queued(request: &str) -> Option<(&str, &str)> {
    let (queued, request) = request.strip_prefix(QUEUED)?.split_once("]\n")?.1.split_once("\n\n")?;
    Some((queued.trim(), request.trim()))
}

/// The person's messages that a context quotes.
fn quoted_in(context: &str) -> impl Iterator<Item = &str> {
    let earlier = context.rsplit_once(EARLIER_BEGIN).map_or("", |(_, earlier)| earlier);
    let earlier = earlier.split(EARLIER_END).next().unwrap_or_default();
    earlier.split(EARLIER_USER).skip(1).map(|said| said.split(EARLIER_ASSISTANT).next().unwrap_or_default().trim())
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
        match said([part]) {
            Said::Words { text, .. } => Some(text),
            _ => None,
        }
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
        assert_eq!(said(["# AGENTS.md instructions for /ws\n…", "<environment_context>\n…"]), Said::Nothing);
    }

    #[test]
    fn internal_context_around_words_goes() {
        let sent = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>a<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nhello";
        assert_eq!(text(sent).as_deref(), Some("hello"));
    }

    const ASSEMBLED: &str = "OpenClaw assembled context for this turn:\n\n<conversation_context>\n[user]\nHANG\n\n[assistant]\n\
                             no\n\n[user]\nagain\n</conversation_context>\n\nCurrent user request:\n";

    #[test]
    fn an_assembled_message_yields_the_request_and_counts_the_quoted_ones() {
        assert_eq!(
            said([format!("{ASSEMBLED}hello").as_str()]),
            Said::Words { text: "hello".to_owned(), quoted_before: 2 }
        );
    }

    #[test]
    fn a_continuation_is_about_the_words_before_it() {
        assert_eq!(said([CONTINUATION]), Said::Continue);
        let queued = format!("{QUEUED}; preserved as context only.]\nFAIL=500 please\n\n");
        assert_eq!(
            said([format!("{queued}{CONTINUATION}.").as_str()]),
            Said::Words { text: "FAIL=500 please".to_owned(), quoted_before: 0 }
        );
        assert_eq!(
            said([format!("{queued}hello").as_str()]),
            Said::Words { text: "hello".to_owned(), quoted_before: 1 }
        );
        assert_eq!(
            said([format!("{ASSEMBLED}{CONTINUATION}, preserving completed work.").as_str()]),
            Said::Words { text: "again".to_owned(), quoted_before: 1 }
        );
    }
}
