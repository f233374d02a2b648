//! Waiting, hanging, stopping, and what is written down.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::{KEY, caller_of};
use occ_testmodel::{Config, RequestLog, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

fn said(text: &str) -> Value {
    json!({"model": "test-1", "messages": [{"role": "user", "content": text}]})
}

/// Starts a server, sends the request, stops the server once it is at work on it; what the caller got: status and body.
async fn stopped_during(request: Value) -> (u16, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("requests.jsonl");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    let config = Config { log: Some(RequestLog::open(&path, false).unwrap()), ..Config::default() };
    let server = tokio::spawn(serve(listener, config, stop.clone()));
    let caller = tokio::spawn(async move {
        let response = reqwest::Client::new().post(url).bearer_auth(KEY).json(&request).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    });
    // The request is noted before it waits.
    while std::fs::read_to_string(&path).unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    server.await.unwrap().unwrap();
    caller.await.unwrap()
}

#[tokio::test]
async fn a_server_stops_while_answers_wait() {
    for request in ["HANG", "SLEEP=3600", "SLEEP=3600 FAIL=429"] {
        assert_eq!(stopped_during(said(request)).await.0, 503, "{request}");
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_has_no_end() {
    let mut request = said("SLEEP=3600 hello there");
    request["stream"] = json!(true);
    let (status, body) = stopped_during(request).await;
    assert_eq!(status, 200);
    assert!(!body.contains("[DONE]"), "{body}");
}

#[tokio::test]
async fn the_log_holds_no_prompt_and_no_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("requests.jsonl");
    let log = |text| Some(RequestLog::open(&path, text).unwrap());
    let caller = caller_of(Config { log: log(false), ..Config::with_keys(["sk-other", KEY]) }).await;
    caller.ask("chat/completions", &said("FAIL=429 my little secret")).await;
    caller.post("chat/completions", &said("x")).bearer_auth("sk-wrong").send().await.unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("secret") && !written.contains("sk-"), "{written}");
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["key"], &lines[0]["outcome"]), (&json!("key 2"), &json!("fail 429")));
    assert_eq!(lines[1]["outcome"], "refused 401");

    let caller = caller_of(Config { log: log(true), ..Config::default() }).await;
    caller.ask("chat/completions", &said("hello")).await;
    assert!(std::fs::read_to_string(&path).unwrap().contains(r#""text":"hello""#));
}

#[test]
fn settings_do_not_print_keys() {
    assert!(!format!("{:?}", Config::with_keys([KEY])).contains(KEY));
}
