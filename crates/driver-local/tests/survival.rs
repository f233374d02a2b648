//! Who dies, and who does not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use common::processes::{gateway, gone, kill, under};
use common::turn::turn;
use common::{END, GRACE, START, Stand, Steps};
use http::StatusCode;
use occ_driver::{AgentKey, ComputeDriver as _, DriverError};
use occ_model::agent::{Health, RouteState};
use rustix::process::{Pid, Signal, kill_process_group};

/// A supervisor that a process group of its own starts, as `occ serve` in a terminal would.
#[expect(clippy::zombie_processes, reason = "the group is killed by its test; the test's end reaps it")]
fn started_by_a_group(stand: &Stand, key: AgentKey) -> Pid {
    let mut words = vec!["runtime".into(), "agent".into()];
    words.extend(stand.driver.supervisor_words(key));
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "\"$0\" \"$@\" & wait"]).arg(common::program()).args(words).process_group(0);
    let shell = shell.spawn().unwrap();
    Pid::from_raw(i32::try_from(shell.id()).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_who_started_it_touches_no_agent_and_a_turn_in_flight_completes() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let starter = started_by_a_group(&stand, key);
    while stand.supervisor(key).is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let desired = stand.embedded(key);
    let activation = stand.deploy(&desired, None).await;
    let supervisor = stand.supervisor(key).unwrap();

    let in_flight = turn(&stand.driver, key, desired.revision, "SLEEP=6 SAY it completed");
    let mut in_flight = std::pin::pin!(in_flight);
    tokio::select! {
        _ = &mut in_flight => panic!("the turn did not last"),
        () = async {
            while stand.driver.observe_agent(key).await.unwrap().unwrap().running_turns == 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        } => {}
    }
    kill_process_group(starter, Signal::KILL).unwrap();
    let again = stand.another_driver().await;
    let answer = in_flight.await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text().contains("it completed"), "{answer:?}");

    let seen = again.observe_agent(key).await.unwrap().unwrap();
    assert_eq!(stand.supervisor(key), Some(supervisor), "the same supervisor");
    assert_eq!(seen.process.as_deref(), Some(&*activation.process), "the same gateway");
    assert_eq!((seen.health, seen.route.map(|route| route.state)), (Health::Healthy, Some(RouteState::Open)));
    again.delete_agent(stand.call(), key, GRACE).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_gateway_comes_back_and_a_killed_supervisor_takes_its_children_along() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let desired = stand.embedded(key);
    let activation = stand.deploy(&desired, None).await;
    let supervisor = stand.supervisor(key).unwrap();
    turn(&stand.driver, key, desired.revision, "SAY remember the word walnut").await.unwrap();

    kill(gateway(supervisor));
    let restored = async {
        loop {
            let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
            let open = seen.route.as_ref().is_some_and(|route| route.state == RouteState::Open);
            if open && seen.process.as_deref() != Some(&*activation.process) {
                return seen;
            }
            assert_ne!(seen.health, Health::Stopped);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let seen = tokio::time::timeout(START, restored).await.expect("it comes back by itself");
    assert_eq!(seen.health, Health::Healthy);
    let answer = turn(&stand.driver, key, desired.revision, "SAY back").await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);

    let children = under(supervisor);
    assert!(children.len() > 2);
    kill(supervisor);
    tokio::time::timeout(END, gone(&children)).await.expect("no process outlives its supervisor");
    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!((seen.health, seen.route, seen.reason.as_deref()), (Health::Failed, None, Some("NOT_RUNNING")));

    // I4: the fence holds after the restart, too.
    let late = stand.driver.activate_revision(stand.call_at(1), &desired, None, GRACE, &Steps).await;
    assert!(matches!(late, Err(DriverError::Fenced { .. })), "{late:?}");
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
    assert!(!stand.data.path().join("agents").join(key.agent.to_string()).exists());
}
