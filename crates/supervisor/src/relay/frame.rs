//! One JSON-RPC frame as far as routing needs it. What is passed on is its text, unchanged but for an id that is ours.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// A frame with the few fields that say where it belongs.
#[derive(Debug, Deserialize)]
pub(super) struct Frame {
    #[serde(default)]
    pub id: Option<Value>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    params: Option<Place>,
    #[serde(default)]
    result: Option<Place>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// Where something happens; most parameters and results have more, or none of it.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Loose")]
struct Place {
    thread: Option<String>,
    turn: Option<String>,
}

/// Anything may stand there: what is no object says no place.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loose {
    Fields {
        #[serde(rename = "threadId", default)]
        thread_id: Option<String>,
        #[serde(rename = "turnId", default)]
        turn_id: Option<String>,
        #[serde(default)]
        thread: Option<Named>,
        #[serde(default)]
        turn: Option<Named>,
    },
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    Known { id: String },
    Other(IgnoredAny),
}

impl Named {
    fn id(self) -> Option<String> {
        match self {
            Self::Known { id } => Some(id),
            Self::Other(_) => None,
        }
    }
}

impl From<Loose> for Place {
    fn from(loose: Loose) -> Self {
        match loose {
            Loose::Fields { thread_id, turn_id, thread, turn } => Self {
                thread: thread_id.or_else(|| thread.and_then(Named::id)),
                turn: turn_id.or_else(|| turn.and_then(Named::id)),
            },
            Loose::Other(_) => Self::default(),
        }
    }
}

impl Frame {
    /// `None`: this is no frame of JSON-RPC.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The thread that it is about.
    pub fn thread(&self) -> Option<&str> {
        self.place()?.thread.as_deref()
    }

    /// The turn that it is about.
    pub fn turn(&self) -> Option<&str> {
        self.place()?.turn.as_deref()
    }

    fn place(&self) -> Option<&Place> {
        self.params.as_ref().or(self.result.as_ref())
    }

    /// The id, as a key.
    pub fn key(&self) -> Option<String> {
        self.id.as_ref().map(Value::to_string)
    }

    /// It answers a request, well or not.
    pub fn is_answer(&self) -> bool {
        self.method.is_none() && self.id.is_some()
    }

    /// It answers that the request failed.
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

/// The frame with another id at `place` (`/id`, `/params/requestId`).
pub(super) fn with_id(text: &str, place: &str, id: &Value) -> Option<String> {
    let mut frame: Value = serde_json::from_str(text).ok()?;
    *frame.pointer_mut(place)? = id.clone();
    Some(frame.to_string())
}

/// Codex's own way to say that a request was not taken and may be sent again: its clients do so.
pub(super) fn not_now(id: &Value) -> String {
    json!({"id": id, "error": {"code": -32001, "message": "Server overloaded; retry later."}}).to_string()
}

/// A request whose Harness is gone.
pub(super) fn gone(id: &Value) -> String {
    json!({"id": id, "error": {"code": -32603, "message": "the Harness is gone"}}).to_string()
}

/// The gateway is to forget a thread: it seeds the conversation anew from its own transcript.
pub(super) fn thread_closed(thread: &str) -> String {
    json!({"method": "thread/closed", "params": {"threadId": thread}}).to_string()
}

/// The end of a turn whose Harness does not say it any more.
pub(super) fn turn_ended(thread: &str, turn: &str, status: &str, message: &str) -> String {
    let error = json!({"message": message, "codexErrorInfo": null, "additionalDetails": null, "misalignment": null});
    json!({"method": "turn/completed", "params": {"threadId": thread, "turn": {
        "id": turn, "rootTurnId": null, "items": [], "itemsView": "notLoaded", "status": status, "error": error,
        "startedAt": null, "completedAt": null, "durationMs": null,
    }}})
    .to_string()
}

/// Asks a Harness to end a turn.
pub(super) fn interrupt(id: &str, thread: &str, turn: &str) -> String {
    json!({"id": id, "method": "turn/interrupt", "params": {"threadId": thread, "turnId": turn}}).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_frame_says_where_it_belongs() {
        let started = r#"{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","items":[]}}}"#;
        let frame = Frame::parse(started).unwrap();
        assert_eq!((frame.thread(), frame.turn(), frame.is_answer()), (Some("t1"), Some("u1"), false));
        let answer = Frame::parse(r#"{"id":7,"result":{"thread":{"id":"t2"},"model":"m"}}"#).unwrap();
        assert_eq!((answer.thread(), answer.key().as_deref(), answer.is_answer()), (Some("t2"), Some("7"), true));
        for odd in
            [r#"{"id":"a","result":[1]}"#, r#"{"method":"x","params":null}"#, r#"{"id":1,"result":{"thread":3}}"#]
        {
            assert_eq!(Frame::parse(odd).unwrap().thread(), None, "{odd}");
        }
        assert!(Frame::parse("{").is_none());
        assert!(Frame::parse(&not_now(&json!(3))).unwrap().is_error());
    }

    #[test]
    fn an_id_is_replaced_and_nothing_else() {
        let text = r#"{"id":0,"method":"item/tool/call","params":{"threadId":"t","arguments":{"n":1.5}}}"#;
        let changed: Value = serde_json::from_str(&with_id(text, "/id", &json!(9)).unwrap()).unwrap();
        assert_eq!(changed["id"], 9);
        assert_eq!(changed["params"]["arguments"]["n"], 1.5);
        assert!(with_id(text, "/params/requestId", &json!(9)).is_none());
    }
}
