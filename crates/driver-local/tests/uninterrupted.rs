//! Replacing the Harness of a dedicated Agent under a steady stream of turns: no turn fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::processes::{program, programs};
use common::turn::{get, turn, turn_in};
use common::{END, GRACE, Stand};
use http::StatusCode;
use occ_driver::{AgentKey, ComputeDriver as _, Desired, LogQuery};
use occ_model::id::RevisionId;

/// What OCC's chat does: it names what is active, and asks again where the door says that this has changed.
struct Talk {
    stand: Arc<Stand>,
    key: AgentKey,
    active: Arc<Mutex<RevisionId>>,
    over: Arc<AtomicBool>,
    session: String,
}

/// What one conversation came to.
#[derive(Debug, Default)]
struct Talked {
    took: Vec<Duration>,
    failed: Vec<String>,
}

impl Talk {
    async fn go_on(self) -> Talked {
        let mut talked = Talked::default();
        for number in 0.. {
            if self.over.load(Ordering::SeqCst) {
                break;
            }
            let (begun, word) = (Instant::now(), format!("word-{number}"));
            let text = format!("SLEEP={}\nSAY {word}", number % 3);
            let answer = loop {
                let revision = *self.active.lock().unwrap();
                let answer = turn_in(&self.stand.driver, self.key, revision, &self.session, &text).await;
                let moved = *self.active.lock().unwrap() != revision;
                match answer {
                    Some(answer) if moved && answer.code() == "AGENT_SWITCHING" => {}
                    answer => break answer,
                }
            };
            match answer {
                Some(answer) if answer.status == StatusCode::OK && answer.text().contains(&word) => {
                    talked.took.push(begun.elapsed());
                }
                other => talked.failed.push(format!("{} {word}: {other:?}", self.session)),
            }
        }
        talked
    }
}

/// So many replacements under so many conversations.
async fn replaced_while_talking(replacements: usize, conversations: usize) {
    let stand = Arc::new(Stand::new().await);
    let key = stand.agent();
    let mut serving = stand.dedicated(key);
    let gateway = stand.deploy(&serving, None).await.process;
    let supervisor = stand.supervisor(key).unwrap();
    let mut codex = program(supervisor, b"codex");
    turn(&stand.driver, key, serving.revision, "SAY warm").await.unwrap();
    let (active, over) = (Arc::new(Mutex::new(serving.revision)), Arc::new(AtomicBool::new(false)));
    let talks: Vec<_> = (0..conversations)
        .map(|number| {
            let talk = Talk {
                stand: stand.clone(),
                key,
                active: active.clone(),
                over: over.clone(),
                session: format!("agent:main:occ:c{number}"),
            };
            tokio::spawn(talk.go_on())
        })
        .collect();
    for _ in 0..replacements {
        let next = harness_only(&stand, key, &serving);
        stand.prepare(&next, Some(serving.revision)).await;
        let begun = Instant::now();
        let switched = stand.activate(&next, Some(serving.revision)).await;
        // The row says so first, then the door opens.
        *active.lock().unwrap() = next.revision;
        stand.driver.open_route(stand.call(), key, next.revision).await.unwrap();
        println!("switched in {:?}", begun.elapsed());
        assert_eq!((switched.process, switched.interruption), (gateway.clone(), Duration::ZERO), "the gateway goes on");
        retire(&stand, key, serving.revision).await;
        let now = program(supervisor, b"codex");
        assert_ne!(std::mem::replace(&mut codex, now), now, "the Harness is another");
        assert_eq!(programs(supervisor, b"codex").len(), 1, "one Harness is left");
        serving = next;
    }
    over.store(true, Ordering::SeqCst);
    let (mut took, mut failed) = (Vec::new(), Vec::new());
    for talk in talks {
        let talked = talk.await.unwrap();
        took.extend(talked.took);
        failed.extend(talked.failed);
    }
    took.sort();
    println!(
        "{replacements} replacements, {conversations} conversations: {} turns, {} failed; median {:?}, longest {:?}",
        took.len() + failed.len(),
        failed.len(),
        took[took.len() / 2],
        took.last().unwrap()
    );
    if !failed.is_empty() {
        let lines = stand.driver.logs(key, LogQuery { tail: 1_000 }).await.unwrap();
        for line in lines.iter().filter(|line| line.source != "harness") {
            println!("{:?} {} {} {}", line.at, line.source, line.level, line.text);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    // Each conversation went on over every replacement.
    let history =
        get(&stand.driver, key, "/sessions/agent%3Amain%3Aocc%3Ac0/history?limit=200", serving.revision).await;
    assert!(history.unwrap().body.to_string().contains("word-0"));
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}

/// A revision that the gateway does not see: the provider has another address, which only the Harness knows.
fn harness_only(stand: &Stand, key: AgentKey, before: &Desired) -> Desired {
    let address = stand.model.base_url();
    let other = address.replace("127.0.0.1", "localhost");
    let was = before.snapshot.values.pointer("/models/providers/codex/baseUrl").unwrap();
    let next = if *was == address { other } else { address };
    stand.desired(key, occ_model::agent::ExecutionMode::Dedicated, |values| {
        values["models"]["providers"]["codex"]["baseUrl"] = next.into();
    })
}

/// Retires; turns that still run there are waited for, as the worker does.
async fn retire(stand: &Stand, key: AgentKey, revision: RevisionId) {
    let retired = async {
        while let Err(error) = stand.driver.retire_revision(stand.call(), key, revision).await {
            assert!(matches!(error, occ_driver::DriverError::Unavailable { .. }), "{error:?}");
        }
    };
    tokio::time::timeout(END, retired).await.expect("what was replaced ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harness_is_replaced_under_a_stream_of_turns_and_none_fails() {
    replaced_while_talking(3, 3).await;
}

/// The acceptance's measure, minutes long: `cargo nextest run -p occ-driver-local --run-ignored all -E 'test(/twenty/)'`.
#[ignore = "minutes long; the short one above is the test"]
#[tokio::test(flavor = "multi_thread")]
async fn twenty_replacements_under_five_conversations_fail_no_turn() {
    replaced_while_talking(20, 5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_outlasts_its_grace_is_interrupted_and_that_is_said() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let first = stand.dedicated(key);
    stand.deploy(&first, None).await;
    let second = harness_only(&stand, key, &first);
    stand.prepare(&second, Some(first.revision)).await;
    let mut long =
        std::pin::pin!(turn_in(&stand.driver, key, first.revision, "agent:main:occ:long", "SLEEP=90\nSAY never"));
    let begun = async {
        while stand.driver.observe_agent(key).await.unwrap().unwrap().running_turns == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        _ = &mut long => panic!("it did not last"),
        () = begun => {}
    }
    let grace = occ_driver::StopOptions { grace: Duration::from_secs(2), starts_again: false };
    let driver = &stand.driver;
    let switch = async {
        driver.activate_revision(stand.call(), &second, Some(first.revision), grace, &common::Steps).await.unwrap();
        driver.open_route(stand.call(), key, second.revision).await.unwrap();
        let answer = turn(driver, key, second.revision, "SAY beside it").await.unwrap();
        assert!(answer.text().contains("beside it"), "{answer:?}");
        retire(&stand, key, first.revision).await;
    };
    let (cut, ()) = tokio::join!(long, switch);
    assert_ne!(cut.map(|answer| answer.status), Some(StatusCode::OK));
    let lines = driver.logs(key, LogQuery { tail: 1_000 }).await.unwrap();
    assert!(lines.iter().any(|line| line.text.contains("1 turns of revision 1 were interrupted")), "it is recorded");
    // The conversation goes on with the new one.
    let answer = turn_in(driver, key, second.revision, "agent:main:occ:long", "SAY on again").await.unwrap();
    assert!(answer.text().contains("on again"), "{answer:?}");
    driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}
