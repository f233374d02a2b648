//! `OpenAI` chat completions over HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::{caller, caller_of};
use occ_testmodel::{Config, TOOL_OUTPUT_BEGIN};
use serde_json::{Value, json};

fn said(messages: &Value) -> Value {
    json!({"model": "test-1", "messages": messages})
}

#[tokio::test]
async fn a_message_is_repeated_with_usage() {
    let (status, body) =
        caller().await.ask("chat/completions", &said(&json!([{"role": "user", "content": "good morning"}]))).await;
    assert_eq!(status, 200);
    assert_eq!(body["object"], "chat.completion");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    let text = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("test model") && text.contains("good morning") && text.contains("message 1"), "{text}");
    let usage = &body["usage"];
    assert_eq!(
        usage["total_tokens"].as_u64().unwrap(),
        usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap()
    );
}

#[tokio::test]
async fn a_stream_carries_the_same_text_and_ends_with_usage_and_done() {
    let caller = caller().await;
    let mut request = said(&json!([{"role": "user", "content": "SAY one two  three"}]));
    request["stream_options"] = json!({"include_usage": true});
    let events = caller.stream("chat/completions", &request).await;
    let text: String =
        events.iter().filter_map(|(_, chunk)| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "one two  three");
    let [.., finish, usage, done] = events.as_slice() else { panic!("too short") };
    assert_eq!(finish.1["choices"][0]["finish_reason"], "stop");
    assert_eq!(usage.1["choices"], json!([]));
    assert!(usage.1["usage"]["completion_tokens"].as_u64().unwrap() > 0);
    assert_eq!(done.1, "[DONE]");
}

#[tokio::test]
async fn a_tool_is_called_and_its_output_comes_back() {
    let caller = caller().await;
    let ask = r#"CALL {"name":"exec","args":{"command":"id"}} END CALL {"name":"ls"} END"#;
    let (_, body) = caller.ask("chat/completions", &said(&json!([{"role": "user", "content": ask}]))).await;
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    let calls = &body["choices"][0]["message"]["tool_calls"];
    assert_eq!(calls[0]["function"], json!({"name": "exec", "arguments": r#"{"command":"id"}"#}));
    assert_eq!(calls[1]["function"], json!({"name": "ls", "arguments": "{}"}));
    let (first, second) = (&calls[0]["id"], &calls[1]["id"]);
    assert_ne!(first, second);
    let (_, body) = caller
        .ask(
            "chat/completions",
            &said(&json!([
                {"role": "user", "content": ask},
                body["choices"][0]["message"],
                {"role": "tool", "tool_call_id": first, "content": "uid=0(root)"},
                {"role": "tool", "tool_call_id": second, "content": [{"type": "text", "text": "notes.md"}]},
                {"role": "user", "content": "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"},
            ])),
        )
        .await;
    let text = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains(&format!("exec answered:\n{TOOL_OUTPUT_BEGIN}\nuid=0(root)")), "{text}");
    assert!(text.contains("ls answered:") && text.contains("notes.md"), "{text}");
}

#[tokio::test]
async fn a_streamed_tool_call_has_its_index() {
    let request = said(&json!([{"role": "user", "content": r#"CALL {"name":"ls","args":{}} END"#}]));
    let events = caller().await.stream("chat/completions", &request).await;
    let call = events.iter().find_map(|(_, chunk)| chunk["choices"][0]["delta"]["tool_calls"].get(0)).unwrap();
    assert_eq!(call["index"], 0);
    assert_eq!(call["function"]["name"], "ls");
    assert!(events.iter().any(|(_, chunk)| chunk["choices"][0]["finish_reason"] == "tool_calls"));
}

#[tokio::test]
async fn only_the_last_message_of_the_person_steers() {
    let (status, body) = caller()
        .await
        .ask(
            "chat/completions",
            &said(&json!([
                {"role": "system", "content": "HANG"},
                {"role": "user", "content": "FAIL=500"},
                {"role": "assistant", "content": "HANG"},
                {"role": "user", "content": "[Mon 2026-11-30 08:19 UTC] and now?\n\nRuntime: agent=main | session=s"},
                {"role": "user", "content": [{"type": "text", "text":
                    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nFAIL=500\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}]},
            ])),
        )
        .await;
    assert_eq!(status, 200);
    let text = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("\u{201c}and now?\u{201d} (message 2 "), "{text}");
}

#[tokio::test]
async fn a_directive_that_cannot_be_followed_is_explained() {
    let (status, body) =
        caller().await.ask("chat/completions", &said(&json!([{"role": "user", "content": "FAIL=teapot"}]))).await;
    assert_eq!(status, 200);
    assert!(body["choices"][0]["message"]["content"].as_str().unwrap().contains("FAIL= takes an HTTP status"));
}

#[tokio::test]
async fn failures_come_in_the_protocols_own_shape() {
    let caller = caller().await;
    for (status, code) in [(401, json!("invalid_api_key")), (429, json!("rate_limit_exceeded")), (500, Value::Null)] {
        let request = said(&json!([{"role": "user", "content": format!("FAIL={status}")}]));
        let (got, body) = caller.ask("chat/completions", &request).await;
        assert_eq!(got, status);
        assert_eq!(body["error"]["code"], code);
        assert!(body["error"]["message"].is_string() && body["error"]["type"].is_string());
    }
}

#[tokio::test]
async fn a_body_that_says_nothing_is_refused_with_the_field() {
    let caller = caller().await;
    for (body, field) in [(json!({"model": "m"}), "messages"), (json!({"messages": [{"role": "user"}]}), "model")] {
        let (status, answer) = caller.ask("chat/completions", &body).await;
        assert_eq!(status, 400);
        assert!(answer["error"]["message"].as_str().unwrap().contains(field));
    }
}

#[tokio::test]
async fn without_keys_any_key_is_accepted_but_none_is_not() {
    let caller = caller_of(Config::default()).await;
    let request = said(&json!([{"role": "user", "content": "hi"}]));
    let status = |request: reqwest::RequestBuilder| async { request.send().await.unwrap().status().as_u16() };
    assert_eq!(status(caller.post("chat/completions", &request).bearer_auth("whatever")).await, 200);
    assert_eq!(status(caller.post("chat/completions", &request)).await, 401);
    assert_eq!(status(caller.post("chat/completions", &request).bearer_auth("")).await, 401);
}
