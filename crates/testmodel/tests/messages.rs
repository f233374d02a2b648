//! `Anthropic` messages over HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::{KEY, caller, names};
use serde_json::{Value, json};

fn said(messages: &Value) -> Value {
    json!({"model": "test-1", "max_tokens": 100, "messages": messages})
}

#[tokio::test]
async fn a_message_is_answered_whole() {
    let (status, body) = caller().await.ask("messages", &said(&json!([{"role": "user", "content": "SAY yes"}]))).await;
    assert_eq!(status, 200);
    assert_eq!(body["type"], "message");
    assert_eq!(body["content"], json!([{"type": "text", "text": "yes"}]));
    assert_eq!(body["stop_reason"], "end_turn");
    assert!(body["usage"]["input_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn a_streamed_text_has_all_events_in_order() {
    let events = caller().await.stream("messages", &said(&json!([{"role": "user", "content": "SAY one two"}]))).await;
    assert_eq!(
        names(&events),
        [
            "message_start",
            "ping",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]
    );
    let text: String = events.iter().filter_map(|(_, event)| event["delta"]["text"].as_str()).collect();
    assert_eq!(text, "one two");
}

#[tokio::test]
async fn a_tool_is_used_and_its_result_comes_back() {
    let caller = caller().await;
    let ask = json!({"role": "user", "content": r#"CALL {"name":"exec","args":{"command":"id"}} END"#});
    let events = caller.stream("messages", &said(&json!([ask]))).await;
    let partial: String = events.iter().filter_map(|(_, event)| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(partial, r#"{"command":"id"}"#);
    assert!(events.iter().any(|(_, event)| event["delta"]["stop_reason"] == "tool_use"));
    let block = events.iter().find_map(|(_, event)| event.get("content_block")).unwrap();
    assert_eq!(block["name"], "exec");
    let result = json!({"type": "tool_result", "tool_use_id": block["id"], "content": "uid=0(root)"});
    let (_, body) = caller
        .ask(
            "messages",
            &said(&json!([ask, {"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}])),
        )
        .await;
    let text = body["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("exec answered:") && text.contains("uid=0(root)"), "{text}");
}

#[tokio::test]
async fn failures_come_in_the_protocols_own_shape() {
    let caller = caller().await;
    for (status, kind) in [(400, "invalid_request_error"), (429, "rate_limit_error"), (529, "overloaded_error")] {
        let request = said(&json!([{"role": "user", "content": format!("FAIL={status}")}]));
        let (got, body) = caller.ask("messages", &request).await;
        assert_eq!((got, &body["type"], &body["error"]["type"]), (status, &json!("error"), &json!(kind)));
    }
    let wrong = caller.post("messages", &said(&json!([]))).header("x-api-key", "sk-wrong").send().await.unwrap();
    assert_eq!(wrong.status(), 401);
    assert_eq!(wrong.json::<Value>().await.unwrap()["error"]["type"], "authentication_error");
}

#[tokio::test]
async fn the_models_list_comes_in_either_shape() {
    let caller = caller().await;
    let list =
        |request: reqwest::RequestBuilder| async { request.send().await.unwrap().json::<Value>().await.unwrap() };
    let open_ai = list(caller.get("models").bearer_auth(KEY)).await;
    assert_eq!((&open_ai["object"], &open_ai["data"][0]["id"]), (&json!("list"), &json!("test-1")));
    let anthropic = list(caller.get("models").header("x-api-key", KEY)).await;
    assert_eq!((&anthropic["data"][0]["type"], &anthropic["has_more"]), (&json!("model"), &json!(false)));
    assert_eq!(caller.get("models").bearer_auth("sk-wrong").send().await.unwrap().status(), 401);
    assert_eq!(list(caller.get("nothing").bearer_auth(KEY)).await["error"]["code"], "not_found");
}
