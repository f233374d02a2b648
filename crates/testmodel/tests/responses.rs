//! `OpenAI` responses over HTTP, as Codex uses them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::{caller, names};
use serde_json::{Value, json};

fn user(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
}

fn said(text: &str) -> Value {
    json!({"model": "test-1", "input": [user("<environment_context>\n…"), user(text)], "tools": [
        {"type": "function", "name": "exec_command", "parameters": {}},
        {"type": "custom", "name": "exec"},
        {"type": "namespace", "name": "openclaw_direct", "tools": [{"type": "function", "name": "sessions_yield"}]},
        {"type": "web_search"},
    ]})
}

#[tokio::test]
async fn a_text_is_answered_whole() {
    let (status, body) = caller().await.ask("responses", &json!({"model": "test-1", "input": "SAY yes"})).await;
    assert_eq!(status, 200);
    assert_eq!(body["status"], "completed");
    assert_eq!(body["output"][0]["content"][0]["text"], "yes");
    assert_eq!(
        body["usage"]["total_tokens"].as_u64().unwrap(),
        body["usage"]["input_tokens"].as_u64().unwrap() + body["usage"]["output_tokens"].as_u64().unwrap()
    );
}

#[tokio::test]
async fn a_streamed_text_has_all_events_in_order_and_numbered() {
    let events = caller().await.stream("responses", &said("SAY one two three")).await;
    assert_eq!(
        names(&events),
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    for (number, (name, event)) in events.iter().enumerate() {
        assert_eq!(event["type"], name.as_str());
        assert_eq!(event["sequence_number"], number);
    }
    let text: String = events.iter().filter_map(|(_, event)| event["delta"].as_str()).collect();
    assert_eq!(text, "one two three");
    let done = &events.last().unwrap().1["response"];
    assert_eq!(done["output"][0]["content"][0]["text"], "one two three");
    assert!(done["usage"]["output_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn a_function_is_called_and_its_output_comes_back() {
    let caller = caller().await;
    let ask = r#"CALL {"name":"exec_command","args":{"cmd":"id"}} END"#;
    let events = caller.stream("responses", &said(ask)).await;
    assert!(names(&events).contains(&"response.function_call_arguments.done"));
    let item = events.last().unwrap().1["response"]["output"][0].clone();
    assert_eq!(item["type"], "function_call");
    assert_eq!(item["arguments"], r#"{"cmd":"id"}"#);
    let output = json!({"type": "function_call_output", "call_id": item["call_id"], "output": "uid=0(root)"});
    let (_, body) = caller.ask("responses", &json!({"model": "test-1", "input": [user(ask), item, output]})).await;
    let text = body["output"][0]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("exec_command answered:") && text.contains("uid=0(root)"), "{text}");
}

#[tokio::test]
async fn a_tool_of_free_text_gets_text_and_one_of_a_namespace_its_namespace() {
    let caller = caller().await;
    let (_, body) = caller.ask("responses", &said(r#"CALL {"name":"exec","args":"text(1)"} END"#)).await;
    let item = &body["output"][0];
    assert_eq!((&item["type"], &item["input"]), (&json!("custom_tool_call"), &json!("text(1)")));
    let (_, body) = caller.ask("responses", &said(r#"CALL {"name":"sessions_yield"} END"#)).await;
    assert_eq!(body["output"][0]["namespace"], "openclaw_direct");
}

#[tokio::test]
async fn a_conversation_that_the_gateway_assembled_counts_its_messages() {
    let assembled = "OpenClaw assembled context for this turn:\n\n<conversation_context>\n[user]\nFAIL=500\n\n\
                     [assistant]\nno\n</conversation_context>\n\nCurrent user request:\nand now?";
    let (status, body) = caller().await.ask("responses", &said(assembled)).await;
    assert_eq!(status, 200);
    let text = body["output"][0]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\u{201c}and now?\u{201d} (message 2 "), "{text}");
}

#[tokio::test]
async fn a_turn_repeated_without_its_words_fails_again() {
    let (status, _) =
        caller().await.ask("responses", &said("Continue the current task from the existing transcript.")).await;
    assert_eq!(status, 500);
    let input = json!([user("FAIL=429"), user("Continue the current task from the existing transcript.")]);
    assert_eq!(caller().await.ask("responses", &json!({"model": "test-1", "input": input})).await.0, 429);
}

#[tokio::test]
async fn a_wrong_key_is_refused_in_the_protocols_shape() {
    let response = caller().await.post("responses", &said("hi")).bearer_auth("sk-wrong").send().await.unwrap();
    assert_eq!(response.status(), 401);
    let text = response.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(body["error"]["code"], "invalid_api_key");
    assert!(!text.contains("sk-wrong"), "a key must not be repeated");
}
