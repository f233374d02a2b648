//! The whole way with a real OpenClaw gateway and a real Codex app-server beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::turn::turn;
use common::{GRACE, Stand};
use http::StatusCode;
use occ_driver::{ComputeDriver as _, LogQuery};
use occ_model::agent::Health;

#[tokio::test(flavor = "multi_thread")]
async fn a_dedicated_agent_is_deployed_answers_and_is_stopped() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let desired = stand.dedicated(key);
    stand.deploy(&desired, None).await;
    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!((seen.health, seen.reason), (Health::Healthy, None));

    let answer = turn(&stand.driver, key, desired.revision, "SAY good morning").await.unwrap();
    if answer.status != StatusCode::OK {
        stand.show_logs(key).await;
    }
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(answer.text().contains("good morning"), "{answer:?}");

    let command = r#"CALL {"name":"exec_command","args":{"cmd":"echo from-the-harness; cat HELLO.md"}} END"#;
    let answer = turn(&stand.driver, key, desired.revision, command).await.unwrap();
    assert!(answer.text().contains("hello from the workspace"), "{answer:?}");

    let lines = stand.driver.logs(key, LogQuery { tail: 1_000 }).await.unwrap();
    assert!(lines.iter().any(|line| line.source == "harness"));
    assert!(!lines.iter().any(|line| line.text.contains(common::MODEL_KEY)));
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}
