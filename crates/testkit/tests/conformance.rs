//! The conformance suite on the scripted driver, both modes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use occ_driver::fake::{Fake, FakeTarget, Fault, Method, Rule};
use occ_driver::{AgentKey, Call, ComputeDriver, Desired, SecretBytes, SecretValues};
use occ_model::agent::ExecutionMode;
use occ_model::failure::FailureCode;
use occ_model::id::{AgentId, ConfigurationId, InstallationId, NamespaceId, RevisionId};
use occ_model::revision::{Harness, HarnessId, Snapshot};
use occ_testkit::conformance::{Failing, Group, Target, run};
use occ_testkit::document;

struct Scripted {
    machine: FakeTarget,
    driver: Fake,
    installation: InstallationId,
    epoch: AtomicI64,
}

impl Scripted {
    fn new() -> Self {
        let machine = FakeTarget::new();
        Self { driver: Fake::on(&machine), machine, installation: InstallationId::new(), epoch: AtomicI64::new(1) }
    }
}

#[async_trait]
impl Target for Scripted {
    fn driver(&self) -> &dyn ComputeDriver {
        &self.driver
    }

    async fn another_driver(&self) -> Box<dyn ComputeDriver> {
        Box::new(Fake::on(&self.machine))
    }

    fn agent(&self) -> AgentKey {
        AgentKey { installation: self.installation, namespace: NamespaceId::new(), agent: AgentId::new() }
    }

    fn desired(&self, key: AgentKey, mode: ExecutionMode) -> Desired {
        let id = if mode == ExecutionMode::Embedded { HarnessId::Openclaw } else { HarnessId::Codex };
        let snapshot = Snapshot {
            configuration_id: ConfigurationId::new(),
            configuration: "test".parse().unwrap(),
            configuration_generation: 1,
            values: document::embedded(),
            secret_bindings: Vec::new(),
            harness_auth: None,
            harness: Harness { id, version: "1".to_owned(), mode },
            provider: "testmodel".to_owned(),
            models: vec!["testmodel/echo".to_owned()],
            gateway_version: "1".to_owned(),
            secrets: Vec::new(),
            drivers: BTreeMap::new(),
            backend_id: None,
            initial_workspace_files: BTreeMap::new(),
        };
        Desired { key, revision: RevisionId::new(), number: 1, snapshot: Arc::new(snapshot), proved_before: false }
    }

    fn secrets(&self) -> SecretValues {
        SecretValues { model_key: Some(SecretBytes::new(b"sk-test".to_vec())), bindings: BTreeMap::new() }
    }

    fn failing(
        &self,
        key: AgentKey,
        mode: ExecutionMode,
        how: Failing,
    ) -> Option<(Desired, SecretValues, FailureCode)> {
        let desired = self.desired(key, mode);
        let (method, code) = match how {
            Failing::Configuration => (Method::Prepare, FailureCode::ConfigurationRejectedByRuntime),
            Failing::Credential => (Method::Prepare, FailureCode::ModelCredentialRejected),
            Failing::Start => (Method::Activate, FailureCode::GatewayCrashloop),
        };
        self.machine.rule(Rule::new(method, Fault::Fail(code)).of(desired.revision));
        Some((desired, self.secrets(), code))
    }

    fn call(&self) -> Call {
        self.call_at(self.epoch.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn call_at(&self, epoch: i64) -> Call {
        Call { epoch, deadline: Instant::now() + Duration::from_secs(30) }
    }
}

#[tokio::test]
async fn the_scripted_driver_conforms_embedded() {
    run(&Scripted::new(), ExecutionMode::Embedded, &Group::ALL).await.unwrap();
}

#[tokio::test]
async fn the_scripted_driver_conforms_dedicated() {
    run(&Scripted::new(), ExecutionMode::Dedicated, &Group::ALL).await.unwrap();
}
