//! The suite that every ComputeDriver passes, with the real runtimes, in both modes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use std::sync::Arc;

use async_trait::async_trait;
use common::broken::VERSION;
use common::{GRACE, Stand, secrets};
use occ_driver::{AgentKey, Call, ComputeDriver, Desired, SecretBytes, SecretValues, StopOptions};
use occ_model::agent::ExecutionMode;
use occ_model::failure::FailureCode;
use occ_testkit::conformance::{Failing, Group, Target, run};
use serde_json::json;

#[async_trait]
impl Target for Stand {
    fn driver(&self) -> &dyn ComputeDriver {
        &self.driver
    }

    async fn another_driver(&self) -> Box<dyn ComputeDriver> {
        Box::new(self.another_driver().await)
    }

    fn agent(&self) -> AgentKey {
        self.agent()
    }

    fn desired(&self, key: AgentKey, mode: ExecutionMode) -> Desired {
        self.desired(key, mode, |_| {})
    }

    fn secrets(&self) -> SecretValues {
        secrets()
    }

    fn failing(
        &self,
        key: AgentKey,
        mode: ExecutionMode,
        how: Failing,
    ) -> Option<(Desired, SecretValues, FailureCode)> {
        Some(match how {
            Failing::Configuration => {
                let desired = self.desired(key, mode, |values| values["session"] = json!({"zzz": 1}));
                (desired, secrets(), FailureCode::ConfigurationRejectedByRuntime)
            }
            Failing::Credential => {
                let wrong = SecretValues { model_key: Some(SecretBytes::new(b"sk-wrong".to_vec())), ..secrets() };
                (self.desired(key, mode, |_| {}), wrong, FailureCode::ModelCredentialRejected)
            }
            Failing::Start => {
                let mut desired = self.desired(key, mode, |_| {});
                let mut snapshot = (*desired.snapshot).clone();
                VERSION.clone_into(&mut snapshot.gateway_version);
                desired.snapshot = Arc::new(snapshot);
                (desired, secrets(), FailureCode::GatewayCrashloop)
            }
        })
    }

    fn call(&self) -> Call {
        self.call()
    }

    fn call_at(&self, epoch: i64) -> Call {
        self.call_at(epoch)
    }

    fn grace(&self) -> StopOptions {
        GRACE
    }
}

/// The groups, in parts that take about as long: two run at once. Groups of a part follow each other on one Agent.
const PARTS: [&[Group]; 3] =
    [&[Group::Serve, Group::Door, Group::Fence], &[Group::Replace], &[Group::Stop, Group::Delete, Group::Failure]];

#[test]
fn every_group_is_in_one_part() {
    for group in Group::ALL {
        let times = PARTS.iter().filter(|part| part.contains(&group)).count();
        assert_eq!(times, 1, "{group:?}");
    }
}

async fn conforms(mode: ExecutionMode, part: &[Group]) {
    let stand = Stand::new().await;
    if let Err(error) = run(&stand, mode, part).await {
        stand.show_all_logs().await;
        panic!("{error:?}");
    }
}

macro_rules! conformance {
    ($($name:ident: $mode:ident, $part:literal;)+) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            conforms(ExecutionMode::$mode, PARTS[$part]).await;
        })+
    };
}

conformance! {
    embedded_agents_serve_behind_their_door_and_fence: Embedded, 0;
    embedded_agents_are_replaced: Embedded, 1;
    embedded_agents_stop_are_deleted_and_fail: Embedded, 2;
    dedicated_agents_serve_behind_their_door_and_fence: Dedicated, 0;
    dedicated_agents_are_replaced: Dedicated, 1;
    dedicated_agents_stop_are_deleted_and_fail: Dedicated, 2;
}
