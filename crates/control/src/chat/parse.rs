//! Reading the gateway's streamed answer (chat completions as Server-Sent Events) into what people see.

use futures::Stream;
use futures::stream;
use http_body_util::BodyExt;
use occ_model::problem::{Code, Problem};
use serde_json::Value;

use super::door::{Answer, SILENCE, late};

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Text(String),
    Tool(String),
    End,
}

/// An event never is longer than this.
const LINE_LIMIT: usize = 1 << 20;

struct Reading {
    answer: Answer,
    buffer: Vec<u8>,
    over: bool,
}

/// What is said, until the end or a failure.
pub(super) fn events(answer: Answer) -> impl Stream<Item = Result<Said, Problem>> + Send {
    stream::unfold(Reading { answer, buffer: Vec::new(), over: false }, |mut reading| async {
        if reading.over {
            return None;
        }
        loop {
            while let Some(line) = take_line(&mut reading.buffer) {
                if let Some(said) = line_of(&line) {
                    reading.over = !matches!(said, Ok(Said::Text(_) | Said::Tool(_)));
                    return Some((said, reading));
                }
            }
            let frame = match tokio::time::timeout(SILENCE, reading.answer.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                other => {
                    reading.over = true;
                    return Some((Err(other.map_or_else(|_| late(), |_| cut())), reading));
                }
            };
            if let Some(data) = frame.data_ref() {
                reading.buffer.extend_from_slice(data);
            }
            if reading.buffer.len() > LINE_LIMIT {
                reading.over = true;
                return Some((Err(cut()), reading));
            }
        }
    })
}

fn cut() -> Problem {
    Problem::new(
        Code::TurnFailed,
        "The answer was cut off. What was said so far is kept; send the message again if you need the rest.",
    )
}

fn take_line(buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = buffer.iter().position(|b| *b == b'\n')?;
    let mut line: Vec<u8> = buffer.drain(..=end).collect();
    line.truncate(line.trim_ascii_end().len());
    Some(line)
}

/// One line of the stream; `None` says nothing.
fn line_of(line: &[u8]) -> Option<Result<Said, Problem>> {
    let data = line.strip_prefix(b"data:")?.trim_ascii();
    if data == b"[DONE]" {
        return Some(Ok(Said::End));
    }
    let event: Value = serde_json::from_slice(data).ok()?;
    if event.get("error").is_some() {
        return Some(Err(Problem::new(
            Code::TurnFailed,
            "The turn failed in the gateway or at the provider. The Agent's logs say more.",
        )));
    }
    let delta = event.pointer("/choices/0/delta")?;
    if let Some(text) = delta.get("content").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        return Some(Ok(Said::Text(text.to_owned())));
    }
    let tool = delta.pointer("/tool_calls/0/function/name").and_then(Value::as_str)?;
    Some(Ok(Said::Tool(tool.chars().filter(|c| !c.is_control()).take(64).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_what_was_said_and_foreign_errors_stay_outside() {
        assert_eq!(line_of(br#"data: {"choices":[{"delta":{"content":"hi"}}]}"#), Some(Ok(Said::Text("hi".into()))));
        assert_eq!(line_of(b"data: [DONE]"), Some(Ok(Said::End)));
        assert_eq!(line_of(b": keep-alive"), None);
        let failed = line_of(br#"data: {"error":{"message":"sk-secret leaked"}}"#);
        assert!(matches!(failed, Some(Err(problem)) if !problem.detail.contains("sk-secret")));
    }

    #[test]
    fn a_line_is_taken_whole_or_not_at_all() {
        let mut buffer = b"data: a\r\ndata".to_vec();
        assert_eq!(take_line(&mut buffer).as_deref(), Some(&b"data: a"[..]));
        assert_eq!(take_line(&mut buffer), None);
        assert_eq!(buffer, b"data");
    }
}
