//! A candidate beside its predecessor.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use common::turn::{get, turn};
use common::{GRACE, MODEL_KEY, Stand, Steps};
use http::StatusCode;
use occ_driver::{ComputeDriver as _, DriverError, Prepared, SecretBytes, SecretValues};
use occ_model::agent::{ExecutionMode, RouteState};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn i8_i9_a_candidate_is_proved_beside_its_predecessor_and_a_bad_one_changes_nothing() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let first = stand.embedded(key);
    let served = stand.deploy(&first, None).await;
    assert!(served.interruption.is_zero());
    turn(&stand.driver, key, first.revision, "SAY the word is walnut").await.unwrap();

    // A document that the runtime refuses: named places, nothing touched.
    let refused = stand.desired(key, ExecutionMode::Embedded, |values| values["session"] = json!({"zzz": 1}));
    let Prepared::Failed(failure) = stand.try_prepare(&refused, Some(first.revision)).await.unwrap() else {
        panic!("it was accepted")
    };
    assert_eq!(failure.code, FailureCode::ConfigurationRejectedByRuntime);
    assert!(failure.errors.iter().any(|error| error.pointer == "/session/zzz"), "{:?}", failure.errors);

    // A key that the provider refuses.
    let candidate = stand.embedded(key);
    let wrong = SecretValues { model_key: Some(SecretBytes::new(b"sk-wrong".to_vec())), ..SecretValues::default() };
    let outcome = stand.driver.prepare_revision(stand.call(), &candidate, &wrong, Some(first.revision), &Steps).await;
    let Prepared::Failed(failure) = outcome.unwrap() else { panic!("it was accepted") };
    assert_eq!(failure.code, FailureCode::ModelCredentialRejected);

    let seen = stand.driver.observe_agent(key).await.unwrap().unwrap();
    assert_eq!(seen.process.as_deref(), Some(&*served.process), "the predecessor serves, untouched");
    assert_eq!(seen.route.map(|route| route.state), Some(RouteState::Open));

    // A good one: started on scratch state beside the predecessor, then switched to.
    let second = stand.embedded(key);
    let proof = stand.prepare(&second, Some(first.revision)).await;
    assert!(proof.started);
    let answer = turn(&stand.driver, key, first.revision, "SAY still here").await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);

    let wrong = stand.driver.activate_revision(stand.call(), &second, Some(RevisionId::new()), GRACE, &Steps).await;
    assert!(matches!(wrong, Err(DriverError::Unexpected { actual }) if actual == Some(first.revision)), "{wrong:?}");

    let switched = stand.activate(&second, Some(first.revision)).await;
    assert!(!switched.interruption.is_zero());
    println!("interrupted for {:?}", switched.interruption);
    let closed = turn(&stand.driver, key, second.revision, "too early").await.unwrap();
    assert_eq!(closed.code(), "AGENT_SWITCHING");
    // Asked again: verified again, nothing else happens.
    let again = stand.activate(&second, Some(first.revision)).await;
    assert_eq!(again.process, switched.process);
    stand.driver.open_route(stand.call(), key, second.revision).await.unwrap();
    let old = turn(&stand.driver, key, first.revision, "for the old one").await.unwrap();
    assert_eq!(old.code(), "AGENT_SWITCHING", "I2: no turn runs on a retired revision");
    let history =
        get(&stand.driver, key, "/sessions/agent%3Amain%3Aocc%3Atest/history?limit=20", second.revision).await;
    assert!(history.unwrap().body.to_string().contains("walnut"), "the conversation goes on");

    let active = stand.driver.retire_revision(stand.call(), key, second.revision).await;
    assert!(matches!(active, Err(DriverError::Unexpected { .. })), "{active:?}");
    stand.driver.retire_revision(stand.call(), key, first.revision).await.unwrap();
    stand.driver.retire_revision(stand.call(), key, first.revision).await.unwrap();
    let revisions = stand.data.path().join("agents").join(key.agent.to_string()).join("revisions");
    assert_eq!(std::fs::read_dir(revisions).unwrap().count(), 1);

    // A turn that outlasts the grace is ended by us, in order.
    let mut long = std::pin::pin!(turn(&stand.driver, key, second.revision, "SLEEP=60 SAY never"));
    tokio::select! {
        _ = &mut long => panic!("it did not last"),
        () = async {
            while stand.driver.observe_agent(key).await.unwrap().unwrap().running_turns == 0 {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        } => {}
    }
    let stop = occ_driver::StopOptions { grace: std::time::Duration::from_secs(2), starts_again: false };
    let (stopped, cut) = tokio::join!(stand.driver.stop_revision(stand.call(), key, stop), long);
    stopped.unwrap();
    assert_eq!(cut.map(|answer| answer.code().to_owned()).as_deref(), Some("AGENT_SWITCHING"));
    let lines = stand.driver.logs(key, occ_driver::LogQuery { tail: 1_000 }).await.unwrap();
    assert!(!lines.iter().any(|line| line.text.contains(MODEL_KEY)));
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}
