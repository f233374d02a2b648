//! An answer, as it is compared with another.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode, header};
use http_body_util::BodyExt;
use occ_model::problem::Code;
use serde_json::Value;

use super::door::Asked;

/// What is another every time, or follows from the body.
const NOT_COMPARED: [&str; 2] = ["x-request-id", "content-length"];

/// What came back, and what the audit log says of the request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: String,
    pub headers: HeaderMap,
    /// Action and outcome of each of its audit events.
    pub audited: Vec<(String, String)>,
}

/// An answer without what identifies the request.
#[derive(PartialEq, Eq)]
struct Told {
    status: StatusCode,
    headers: BTreeMap<String, String>,
    body: String,
    audited: Vec<(String, String)>,
}

impl Answer {
    /// Reads it; of a stream that goes on, its beginning.
    pub async fn read(response: Response<Body>) -> Self {
        let (parts, mut body) = response.into_parts();
        let content = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let bytes = if content.is_some_and(|content| content.starts_with("text/event-stream")) {
            body.frame().await.unwrap().unwrap().into_data().unwrap()
        } else {
            body.collect().await.unwrap().to_bytes()
        };
        let body = String::from_utf8(bytes.to_vec()).unwrap();
        Self { status: parts.status, body, headers: parts.headers, audited: Vec::new() }
    }

    pub fn request_id(&self) -> &str {
        self.headers["x-request-id"].to_str().unwrap()
    }

    /// The code of the problem that it is.
    pub fn code(&self) -> Option<Code> {
        let body: Value = serde_json::from_str(&self.body).ok()?;
        body["code"].as_str()?.parse().ok()
    }

    /// The body without the request's id and without what `asked` filled in.
    pub fn text(&self, asked: &Asked) -> String {
        let typed = asked.typed.iter().filter(|typed| typed.len() > 2);
        typed.fold(self.body.replace(self.request_id(), "<request>"), |body, typed| body.replace(typed, "<named>"))
    }

    /// All of it, so.
    fn told(&self, asked: &Asked) -> Told {
        let headers = self
            .headers
            .iter()
            .filter(|(name, _)| !NOT_COMPARED.contains(&name.as_str()))
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        Told { status: self.status, headers, body: self.text(asked), audited: self.audited.clone() }
    }

    /// For messages.
    pub fn short(&self) -> String {
        let body: String = self.body.chars().take(300).collect();
        format!("{} {body} (audited {:?})", self.status.as_u16(), self.audited)
    }
}

/// How two answers differ, if they do.
pub fn difference(one: (&Asked, &Answer), other: (&Asked, &Answer)) -> Option<String> {
    let (first, second) = (one.1.told(one.0), other.1.told(other.0));
    let line = |(asked, answer): (&Asked, &Answer)| {
        format!("\n  {} {} -> {}", asked.address, asked.body.as_deref().unwrap_or_default(), answer.short())
    };
    let headers = if first.headers == second.headers {
        String::new()
    } else {
        format!("\n  headers {:?}\n  headers {:?}", first.headers, second.headers)
    };
    (first != second).then(|| format!("{}{}{headers}", line(one), line(other)))
}
