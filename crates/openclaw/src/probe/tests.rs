//! The probe against a provider of our own on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use occ_model::deployment::CredentialProof::{NotNeeded, Proven, Unproven};
use occ_model::failure::FailureCode::{
    ModelAddressWrong, ModelCredentialRejected, ModelProbeTimeout, ModelUnreachable,
};

use super::*;

const KEY: &[u8] = b"sk-probe-1\n";

async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// A provider that lists two models to whoever sends the header, and answers 401 to others.
fn provider(path: &str, name: &'static str, value: &'static str, list: &'static str) -> Router {
    let answer = move |headers: HeaderMap| async move {
        if headers.get(name).is_some_and(|got| got == value) {
            (StatusCode::OK, list).into_response()
        } else {
            StatusCode::UNAUTHORIZED.into_response()
        }
    };
    Router::new().route(path, get(answer))
}

async fn probe(base: &str, api: &str, key: Option<&[u8]>) -> ProbeOutcome {
    run(&ProbeTarget::new("p", Some(base), Some(api)), key, &client().unwrap()).await
}

#[tokio::test]
async fn each_shape_is_asked_in_its_own_way() {
    const DATA: &str = r#"{"data":[{"id":"m-1"},{"id":"m-2"}]}"#;
    for (api, base, path, name, value, list) in [
        ("openai-completions", "/v1", "/v1/models", "authorization", "Bearer sk-probe-1", DATA),
        ("openai-responses", "/v1/", "/v1/models", "authorization", "Bearer sk-probe-1", DATA),
        ("anthropic-messages", "", "/v1/models", "x-api-key", "sk-probe-1", DATA),
        ("anthropic-messages", "/v1", "/v1/models", "x-api-key", "sk-probe-1", DATA),
        ("azure-openai-responses", "/openai/v1", "/openai/v1/models", "api-key", "sk-probe-1", DATA),
        (
            "google-generative-ai",
            "/v1beta",
            "/v1beta/models",
            "x-goog-api-key",
            "sk-probe-1",
            r#"{"models":[{"name":"models/m-1"},{"name":"models/m-2"}]}"#,
        ),
    ] {
        let address = serve(provider(path, name, value, list)).await;
        let base = format!("http://{address}{base}");
        let outcome = probe(&base, api, Some(KEY)).await;
        assert_eq!(outcome, ProbeOutcome { verdict: Ok(Proven), models: vec!["m-1".into(), "m-2".into()] }, "{api}");
        assert_eq!(probe(&base, api, Some(b"wrong")).await.verdict, Err(ModelCredentialRejected), "{api}");
    }
}

#[tokio::test]
async fn every_status_has_its_verdict() {
    for (status, verdict) in [
        (200, Ok(Proven)),
        (204, Ok(Proven)),
        (302, Ok(Unproven)),
        (400, Ok(Unproven)),
        (401, Err(ModelCredentialRejected)),
        (403, Ok(Unproven)),
        (404, Err(ModelAddressWrong)),
        (405, Ok(Unproven)),
        (429, Ok(Unproven)),
        (500, Ok(Unproven)),
        (503, Ok(Unproven)),
    ] {
        let answer = move || async move { StatusCode::from_u16(status).unwrap() };
        let address = serve(Router::new().route("/v1/models", get(answer))).await;
        let outcome = probe(&format!("http://{address}/v1"), "openai-responses", Some(KEY)).await;
        assert_eq!(outcome.verdict, verdict, "{status}");
    }
}

#[tokio::test]
async fn a_server_without_a_list_is_asked_whether_it_takes_turns() {
    for (status, verdict) in [(400, Ok(Unproven)), (422, Ok(Unproven)), (401, Err(ModelCredentialRejected))] {
        let answer = move || async move { StatusCode::from_u16(status).unwrap() };
        let address = serve(Router::new().route("/v1/chat/completions", post(answer))).await;
        let of =
            async |base: &str| probe(&format!("http://{address}{base}"), "openai-completions", Some(KEY)).await.verdict;
        assert_eq!(of("/v1").await, verdict, "{status}");
        assert_eq!(of("").await, Err(ModelAddressWrong), "{status}");
    }
}

#[tokio::test]
async fn google_says_an_invalid_key_with_400() {
    let answer = || async { (StatusCode::BAD_REQUEST, r#"{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}"#) };
    let address = serve(Router::new().route("/v1/models", get(answer))).await;
    let base = format!("http://{address}/v1");
    assert_eq!(probe(&base, "google-generative-ai", Some(KEY)).await.verdict, Err(ModelCredentialRejected));
    assert_eq!(probe(&base, "openai-responses", Some(KEY)).await.verdict, Ok(Unproven));
}

#[tokio::test]
async fn i10_a_redirect_does_not_carry_the_key_elsewhere() {
    let (seen, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let elsewhere = move || {
        let seen = seen.clone();
        async move { seen.send(()).unwrap() }
    };
    let other = serve(Router::new().route("/steal", get(elsewhere))).await;
    let answer = move || async move { (StatusCode::FOUND, [(header::LOCATION, format!("http://{other}/steal"))]) };
    let address = serve(Router::new().route("/v1/models", get(answer))).await;
    let outcome = probe(&format!("http://{address}/v1"), "openai-responses", Some(KEY)).await;
    assert_eq!(outcome.verdict, Ok(Unproven));
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn a_provider_that_hangs_is_a_timeout_and_one_that_is_not_there_is_unreachable() {
    let address = serve(Router::new().route("/v1/models", get(std::future::pending::<StatusCode>))).await;
    let quick = client_within(Duration::from_secs(2)).unwrap();
    let target = |base: String| ProbeTarget::new("p", Some(&base), None);
    assert_eq!(run(&target(format!("http://{address}/v1")), Some(KEY), &quick).await.verdict, Err(ModelProbeTimeout));
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    assert_eq!(run(&target(format!("http://{closed}/v1")), Some(KEY), &quick).await.verdict, Err(ModelUnreachable));
}

#[tokio::test]
async fn a_list_that_cannot_be_read_proves_the_key_all_the_same() {
    let address = serve(Router::new().route("/v1/models", get(|| async { vec![b'x'; BODY_LIMIT + 1] }))).await;
    let outcome = probe(&format!("http://{address}/v1"), "openai-responses", Some(KEY)).await;
    assert_eq!(outcome, ProbeOutcome { verdict: Ok(Proven), models: vec![] });
}

#[tokio::test]
async fn without_a_key_there_is_nothing_to_prove() {
    let address = serve(Router::new().route("/v1/models", get(|| async { r#"{"data":[{"id":"m"}]}"# }))).await;
    let outcome = probe(&format!("http://{address}/v1"), "openai-completions", None).await;
    assert_eq!(outcome, ProbeOutcome { verdict: Ok(NotNeeded), models: vec!["m".into()] });
}

#[tokio::test]
async fn what_must_not_or_cannot_be_asked_is_not() {
    for base in ["http://169.254.169.254/v1", "file:///etc/passwd", "http://user:pw@127.0.0.1/v1", "nonsense"] {
        assert_eq!(probe(base, "openai-completions", Some(KEY)).await.verdict, Err(ModelUnreachable), "{base}");
    }
    assert_eq!(probe("http://127.0.0.1:1/v1", "ollama", Some(KEY)).await.verdict, Ok(Unproven));
    let outcome = probe("http://127.0.0.1:1/v1", "openai-completions", Some(b"sk-\x01")).await;
    assert_eq!(outcome.verdict, Err(ModelCredentialRejected));
}
