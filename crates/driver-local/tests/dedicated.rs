//! The whole way with a real OpenClaw gateway and a real Codex app-server beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use std::time::Duration;

use common::processes::{gone, kill, program, under};
use common::turn::turn;
use common::{END, GRACE, START, Stand};
use http::StatusCode;
use occ_driver::{ComputeDriver as _, LogQuery};
use occ_model::agent::{Health, RouteState};

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
    assert!(!lines.iter().any(|line| line.text.contains("waiting to resolve remote control")), "it asks for nobody");
    assert!(!lines.iter().any(|line| line.text.contains(common::MODEL_KEY)));
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pair_that_breaks_is_restored_and_one_that_was_ended_in_order_starts_again() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let desired = stand.dedicated(key);
    let before = stand.deploy(&desired, None).await.process;
    let supervisor = stand.supervisor(key).unwrap();

    // Its Harness dies: the pair comes back by itself.
    kill(program(supervisor, b"codex"));
    let restored = async {
        loop {
            let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
            let open = seen.route.as_ref().is_some_and(|route| route.state == RouteState::Open);
            if open && seen.process.as_ref() != Some(&before) {
                return seen.health;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    assert_eq!(tokio::time::timeout(START, restored).await.unwrap(), Health::Healthy);

    // The machine goes down in order: everything ends, and what was active is known afterwards.
    let children = under(supervisor);
    rustix::process::kill_process(supervisor, rustix::process::Signal::TERM).unwrap();
    tokio::time::timeout(END, gone(&children)).await.expect("its processes end");
    tokio::time::timeout(END, gone(&[supervisor])).await.expect("it ends");
    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!((seen.health, seen.route), (Health::Failed, None));
    stand.activate(&desired, Some(desired.revision)).await;
    stand.driver.open_route(stand.call(), key, desired.revision).await.unwrap();
    let answer = turn(&stand.driver, key, desired.revision, "SAY and here again").await.unwrap();
    assert!(answer.text().contains("and here again"), "{answer:?}");
    let last = stand.supervisor(key).unwrap();
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
    // It answers first and ends then.
    tokio::time::timeout(END, gone(&[last])).await.expect("nothing is left to find");
}
