//! A server on a port of its own and a caller that speaks plain HTTP to it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "tests; each uses a part of this"
)]

use occ_testmodel::{Config, TestModel};
use serde_json::{Value, json};

pub const KEY: &str = "sk-test-1";

pub struct Caller {
    pub model: TestModel,
    client: reqwest::Client,
}

pub async fn caller() -> Caller {
    caller_of(Config::with_keys(["sk-other", KEY])).await
}

pub async fn caller_of(config: Config) -> Caller {
    Caller { model: TestModel::start(config).await.unwrap(), client: reqwest::Client::new() }
}

impl Caller {
    pub fn post(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        self.client.post(format!("{}/{path}", self.model.base_url())).json(body)
    }

    pub fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(format!("{}/{path}", self.model.base_url()))
    }

    /// The status and the body of a call with the right key.
    pub async fn ask(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.post(path, body);
        let request = if path == "messages" { request.header("x-api-key", KEY) } else { request.bearer_auth(KEY) };
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// The events of a streamed call: name and data, `[DONE]` as a text.
    pub async fn stream(&self, path: &str, body: &Value) -> Vec<(String, Value)> {
        let mut body = body.clone();
        body["stream"] = json!(true);
        let response = self.post(path, &body).bearer_auth(KEY).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        events(&response.text().await.unwrap())
    }
}

fn events(text: &str) -> Vec<(String, Value)> {
    let field = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
    };
    text.split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .map(|block| {
            let data = field(block, "data:");
            (field(block, "event:"), serde_json::from_str(&data).unwrap_or(Value::String(data)))
        })
        .collect()
}

/// The names of events without their repetitions.
pub fn names(events: &[(String, Value)]) -> Vec<&str> {
    let mut names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    names
}
