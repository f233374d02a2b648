//! The whole way with a real OpenClaw gateway, embedded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::turn::{get, turn};
use common::{GRACE, Stand};
use http::StatusCode;
use occ_driver::{ComputeDriver as _, DriverError, LogQuery};
use occ_model::agent::{Health, RouteState};
use occ_model::deployment::CredentialProof;

#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_agent_is_deployed_answers_and_is_stopped() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let desired = stand.embedded(key);
    assert!(stand.driver.observe_agent(key).await.unwrap().is_none());

    let proof = stand.prepare(&desired, None).await;
    assert_eq!((proof.credential, proof.started), (CredentialProof::Proven, false));
    let activation = stand.activate(&desired, None).await;

    // I2: active, but no turn before the door is open.
    let refused = turn(&stand.driver, key, desired.revision, "too early").await.unwrap();
    assert_eq!((refused.status, refused.code()), (StatusCode::SERVICE_UNAVAILABLE, "AGENT_SWITCHING"));
    stand.driver.open_route(stand.call(), key, desired.revision).await.unwrap();
    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!((seen.health, seen.reason), (Health::Healthy, None));
    assert_eq!(seen.process.as_deref(), Some(&*activation.process));
    assert_eq!(seen.route.map(|route| route.state), Some(RouteState::Open));
    assert!(seen.memory.is_some_and(|bytes| bytes > 100 << 20));

    let answer = turn(&stand.driver, key, desired.revision, "SAY good morning").await.unwrap();
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(answer.text().contains("good morning"), "{answer:?}");
    let history = get(&stand.driver, key, "/sessions/agent%3Amain%3Aocc%3Atest/history?limit=10", desired.revision)
        .await
        .unwrap();
    assert!(history.body.to_string().contains("good morning"), "{history:?}");

    // Nothing but turns and history passes the door.
    let other = get(&stand.driver, key, "/v1/models", desired.revision).await.unwrap();
    assert_eq!(other.status, StatusCode::NOT_FOUND);

    let lines = stand.driver.logs(key, LogQuery { tail: 1_000 }).await.unwrap();
    assert!(lines.iter().any(|line| line.source == "gateway"));
    assert!(!lines.iter().any(|line| line.text.contains(common::MODEL_KEY)));
    // I10: conversations belong to people, whoever may read logs.
    let told: Vec<_> = lines.iter().filter(|line| line.text.contains("good morning")).collect();
    assert!(told.is_empty(), "{told:?}");

    stand.driver.stop_revision(stand.call(), key, GRACE).await.unwrap();
    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!((seen.health, seen.route), (Health::Stopped, None));

    // I4: what a lower epoch asks is refused.
    let late = stand.driver.open_route(stand.call_at(1), key, desired.revision).await;
    assert!(matches!(late, Err(DriverError::Fenced { highest }) if highest > 1), "{late:?}");

    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
    assert!(stand.driver.observe_agent(key).await.unwrap().is_none());
    let late = stand.driver.open_route(stand.call_at(1), key, desired.revision).await;
    assert!(matches!(late, Err(DriverError::Fenced { .. })), "the fence outlives the Agent: {late:?}");
}
