//! What one protocol has to bring: reading a request, writing an answer whole and in frames.

use std::time::Duration;

use serde_json::Value;

use crate::answer::Reply;
use crate::conversation::Conversation;
use crate::frame::Frame;
use crate::refusal::{Refusal, Shape};
use crate::text::{pieces, tokens};

/// A protocol of model providers.
pub(crate) trait Protocol {
    /// How errors look.
    const SHAPE: Shape;
    /// The header that carries the id of a request.
    const REQUEST_ID: &'static str;

    /// What a request says; a body that the real provider would refuse is refused.
    fn read(body: &Value) -> Result<Conversation, Refusal>;
    /// The answer in one piece.
    fn whole(answer: &Answer) -> Value;
    /// The answer as a stream.
    fn frames(answer: &Answer) -> Vec<Frame>;
}

/// An answer on its way out.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Unique among all answers, also of an earlier server: a runtime keeps call ids in its history.
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) created: i64,
    pub(crate) model: String,
    pub(crate) reply: Reply,
    /// How long the text takes to come.
    pub(crate) sleep: Duration,
    /// Whether a chat stream ends with its usage.
    pub(crate) stream_usage: bool,
    pub(crate) usage: Usage,
}

/// Tokens, counted roughly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

impl Usage {
    /// Of a request's body and the reply to it.
    pub(crate) fn of(body: &str, reply: &Reply) -> Self {
        let output = match reply {
            Reply::Text(text) => tokens(text),
            Reply::Calls(calls) => calls.iter().map(|call| tokens(&call.name) + tokens(&call.input.written())).sum(),
        };
        Self { input: tokens(body), output }
    }

    pub(crate) fn total(self) -> u64 {
        self.input + self.output
    }
}

impl Answer {
    /// The text in pieces, each with its share of the time.
    pub(crate) fn paced<'a>(&self, text: &'a str) -> impl Iterator<Item = (Duration, &'a str)> + use<'a> {
        let count = u32::try_from(pieces(text).count()).unwrap_or(u32::MAX).max(1);
        let share = self.sleep / count;
        pieces(text).map(move |piece| (share, piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{ToolCall, ToolInput};
    use crate::{chat::Chat, messages::Messages, responses::Responses};

    fn waits<P: Protocol>(reply: Reply) -> Duration {
        let answer = Answer {
            id: "1".to_owned(),
            created: 0,
            model: "m".to_owned(),
            reply,
            sleep: Duration::from_secs(4),
            stream_usage: true,
            usage: Usage { input: 1, output: 1 },
        };
        P::frames(&answer).iter().map(|frame| frame.wait).sum()
    }

    #[test]
    fn a_stream_takes_the_time_that_was_asked_for() {
        let text = || Reply::Text("one two three four".to_owned());
        let call = || ToolCall { name: "ls".to_owned(), input: ToolInput::Json(Value::Null), namespace: None };
        let calls = || Reply::Calls(vec![call(), call()]);
        let expected = Duration::from_secs(4);
        assert_eq!([waits::<Chat>(text()), waits::<Responses>(text()), waits::<Messages>(text())], [expected; 3]);
        assert_eq!([waits::<Chat>(calls()), waits::<Responses>(calls()), waits::<Messages>(calls())], [expected; 3]);
    }
}
