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
use occ_testkit::conformance::{Failing, Target, run_mode};
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

#[tokio::test(flavor = "multi_thread")]
async fn embedded_agents_on_this_machine_conform() {
    run_mode(&Stand::new().await, ExecutionMode::Embedded).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn dedicated_agents_on_this_machine_conform() {
    run_mode(&Stand::new().await, ExecutionMode::Dedicated).await.unwrap();
}
