//! A stand for tests with the real runtimes: a data folder, the driver, a test model server, Agents that speak to it.
//!
//! Needs the runtimes (`runtimes/install.sh`) and bubblewrap; without them a test fails and says so.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

pub mod broken;
pub mod left;
pub mod processes;
pub mod turn;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use occ_driver::{
    Activation, AgentKey, Call, ComputeDriver as _, Desired, DriverError, Prepared, Proof, SecretBytes, SecretValues,
    StepSink, StopOptions,
};
use occ_driver_local::{Isolation, LocalConfig, LocalDriver};
use occ_model::agent::{ExecutionMode, HarnessAuth};
use occ_model::deployment::{StepKind, StepState};
use occ_model::id::{AgentId, ConfigurationId, InstallationId, NamespaceId, RevisionId};
use occ_model::revision::{Harness, HarnessId, Snapshot};
use occ_supervisor::files::Place;
use occ_testmodel::{Config, TestModel};
use serde_json::{Value, json};

/// The key that the test model server accepts.
pub const MODEL_KEY: &str = "sk-test-0123456789abcdef";
/// A turn's grace in tests.
pub const GRACE: StopOptions = StopOptions { grace: Duration::from_secs(10), starts_again: false };

/// A start, with all that may slow it on a busy machine.
pub const START: Duration = Duration::from_mins(8);
/// An end.
pub const END: Duration = Duration::from_mins(2);

/// Where the runtimes are, or a failure that says what to do.
pub fn runtimes() -> PathBuf {
    let folder = std::env::var_os("OCC_RUNTIMES_DIR").map_or_else(
        || {
            let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            cache
                .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"))
                .join("occ/runtimes")
        },
        PathBuf::from,
    );
    let there = std::fs::read_dir(&folder)
        .is_ok_and(|entries| entries.flatten().filter(|entry| entry.path().join(".complete").exists()).count() >= 2);
    assert!(there, "the runtimes are not installed in {}: run runtimes/install.sh", folder.display());
    folder
}

/// The program that stands in for `occ`.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_occ-runtime"))
}

/// A machine with one Installation.
pub struct Stand {
    pub driver: LocalDriver,
    pub model: TestModel,
    pub installation: InstallationId,
    pub namespace: NamespaceId,
    pub data: tempfile::TempDir,
    agents: Mutex<Vec<AgentId>>,
    epoch: Mutex<i64>,
}

impl Stand {
    pub async fn new() -> Self {
        let data = tempfile::Builder::new().prefix("stand-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let installation = InstallationId::new();
        broken::link_runtimes(&runtimes(), &data.path().join("runtimes"));
        let driver = open(&data, installation).await;
        Self {
            driver,
            model: TestModel::start(Config::with_keys([MODEL_KEY])).await.unwrap(),
            installation,
            namespace: NamespaceId::new(),
            data,
            agents: Mutex::new(Vec::new()),
            epoch: Mutex::new(1),
        }
    }

    /// As after `occ serve` was started again.
    pub async fn another_driver(&self) -> LocalDriver {
        open(&self.data, self.installation).await
    }

    /// A new Agent.
    pub fn agent(&self) -> AgentKey {
        let agent = AgentId::new();
        self.agents.lock().unwrap().push(agent);
        AgentKey { installation: self.installation, namespace: self.namespace, agent }
    }

    /// A new claim.
    pub fn call(&self) -> Call {
        let mut epoch = self.epoch.lock().unwrap();
        *epoch += 1;
        self.call_at(*epoch)
    }

    /// A claim of this epoch. On a busy machine a start alone takes minutes.
    pub fn call_at(&self, epoch: i64) -> Call {
        let _ = self;
        Call { epoch, deadline: Instant::now() + Duration::from_mins(10) }
    }

    pub fn embedded(&self, key: AgentKey) -> Desired {
        self.desired(key, ExecutionMode::Embedded, |_| {})
    }

    pub fn dedicated(&self, key: AgentKey) -> Desired {
        self.desired(key, ExecutionMode::Dedicated, |_| {})
    }

    /// A revision of the mode, its document changed by `edit`.
    pub fn desired(&self, key: AgentKey, mode: ExecutionMode, edit: impl FnOnce(&mut Value)) -> Desired {
        let (provider, api, harness) = match mode {
            ExecutionMode::Embedded => ("testmodel", "openai-completions", HarnessId::Openclaw),
            ExecutionMode::Dedicated => ("codex", "openai-responses", HarnessId::Codex),
        };
        let mut declared = json!({
            "baseUrl": self.model.base_url(), "api": api,
            "models": [{"id": "test-1", "name": "Test", "contextWindow": 128_000, "maxTokens": 4096}],
        });
        if mode == ExecutionMode::Dedicated {
            declared["agentRuntime"] = json!({"id": "codex"});
        }
        let mut values = json!({
            "models": {"providers": {provider: declared}},
            "agents": {"defaults": {"model": format!("{provider}/test-1")}},
        });
        edit(&mut values);
        let versions = self.driver.runtimes().0;
        let program = if mode == ExecutionMode::Embedded { "openclaw" } else { "codex" };
        let snapshot = Snapshot {
            configuration_id: ConfigurationId::new(),
            configuration: "test".parse().unwrap(),
            configuration_generation: 1,
            values,
            secret_bindings: Vec::new(),
            harness_auth: Some(HarnessAuth {
                provider: provider.to_owned(),
                api_key: Some(serde_json::from_value(json!("model-key")).unwrap()),
            }),
            harness: Harness { id: harness, version: versions[program].clone(), mode },
            provider: provider.to_owned(),
            models: vec![format!("{provider}/test-1")],
            gateway_version: versions["openclaw"].clone(),
            secrets: Vec::new(),
            drivers: BTreeMap::new(),
            backend_id: None,
            initial_workspace_files: [("HELLO.md".to_owned(), "hello from the workspace".to_owned())].into(),
        };
        Desired { key, revision: RevisionId::new(), number: 1, snapshot: Arc::new(snapshot), proved_before: false }
    }

    /// Prepares; panics with the failure if it does not succeed.
    pub async fn prepare(&self, desired: &Desired, predecessor: Option<RevisionId>) -> Proof {
        match self.try_prepare(desired, predecessor).await.unwrap() {
            Prepared::Ready(proof) => proof,
            other => {
                self.show_logs(desired.key).await;
                panic!("{other:?}");
            }
        }
    }

    pub async fn try_prepare(
        &self,
        desired: &Desired,
        predecessor: Option<RevisionId>,
    ) -> Result<Prepared, DriverError> {
        self.driver.prepare_revision(self.call(), desired, &secrets(), predecessor, &Steps).await
    }

    /// Activates; shows the log if it does not succeed.
    pub async fn activate(&self, desired: &Desired, expected: Option<RevisionId>) -> Activation {
        match self.driver.activate_revision(self.call(), desired, expected, GRACE, &Steps).await {
            Ok(activation) => activation,
            Err(error) => {
                self.show_logs(desired.key).await;
                panic!("{error:?}");
            }
        }
    }

    /// Prepared, activated, open.
    pub async fn deploy(&self, desired: &Desired, predecessor: Option<RevisionId>) -> Activation {
        self.prepare(desired, predecessor).await;
        let activation = self.activate(desired, predecessor).await;
        self.driver.open_route(self.call(), desired.key, desired.revision).await.unwrap();
        activation
    }

    /// What every Agent and its supervisor said last.
    pub async fn show_all_logs(&self) {
        let agents = self.agents.lock().unwrap().clone();
        for agent in agents {
            println!("--- {agent}");
            self.show_logs(AgentKey { installation: self.installation, namespace: self.namespace, agent }).await;
        }
    }

    pub async fn show_logs(&self, key: AgentKey) {
        for line in self.driver.logs(key, occ_driver::LogQuery { tail: 200 }).await.unwrap_or_default() {
            println!("{} {} {}", line.source, line.level, line.text);
        }
        let log = Place::new(self.data.path()).unwrap().of(key).supervisor_log();
        println!("{}", std::fs::read_to_string(log).unwrap_or_default());
    }

    /// Process id of an Agent's supervisor.
    pub fn supervisor(&self, key: AgentKey) -> Option<rustix::process::Pid> {
        pid_of(&self.data, key.agent)
    }
}

/// The number in the lock, if it still is the supervisor's: a number alone may be somebody else's today.
fn pid_of(data: &tempfile::TempDir, agent: AgentId) -> Option<rustix::process::Pid> {
    let lock = Place::new(data.path()).ok()?.agent(agent).lock();
    let pid: i32 = std::fs::read_to_string(lock).ok()?.trim().parse().ok()?;
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let is_it = words.split(|byte| *byte == 0).any(|word| word == agent.to_string().as_bytes());
    rustix::process::Pid::from_raw(pid).filter(|_| is_it)
}

impl Drop for Stand {
    /// Ends what is left and removes it, after a failed test too. After one that passed nothing may be left.
    fn drop(&mut self) {
        let agents = self.agents.lock().unwrap();
        let left = left::behind(&self.data, &agents);
        left::clear(&self.data, &agents);
        assert!(std::thread::panicking() || left.is_empty(), "left behind: {left:#?}");
    }
}

pub fn secrets() -> SecretValues {
    SecretValues { model_key: Some(SecretBytes::new(MODEL_KEY.into())), bindings: BTreeMap::new() }
}

async fn open(data: &tempfile::TempDir, installation: InstallationId) -> LocalDriver {
    let config = LocalConfig {
        installation,
        data: data.path().to_owned(),
        runtimes: data.path().join("runtimes"),
        program: program(),
        isolation: Isolation::Bubblewrap,
    };
    LocalDriver::open(config).await.unwrap()
}

/// Prints steps, for whoever reads a failed test.
pub struct Steps;

impl StepSink for Steps {
    fn step(&self, kind: StepKind, state: StepState, note: Option<String>) {
        println!("step {kind} {state} {}", note.unwrap_or_default());
    }
}
