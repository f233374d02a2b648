//! A machine with one real Agent, a test model, and things that the Agent must not reach.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use occ_driver::{AgentKey, Call, ComputeDriver, Desired, Prepared, SecretBytes, SecretValues, StepSink, StopOptions};
use occ_driver_local::{Isolation, LocalConfig, LocalDriver};
use occ_model::agent::HarnessAuth;
use occ_model::deployment::{StepKind, StepState};
use occ_model::id::{AgentId, ConfigurationId, InstallationId, NamespaceId, RevisionId};
use occ_model::revision::{Harness, HarnessId, Snapshot};
use occ_openclaw::harness::{mode_of, select};
use occ_testmodel::{Config, TestModel};
use serde_json::{Value, json};

/// What must never come back from a turn.
pub const MODEL_KEY: &str = "sk-walls-0123456789abcdef";
pub const CHANNEL_SECRET: &str = "1234567:channel-secret-walls";
pub const OCC_KEY: &str = "the-key-of-all-keys";
pub const OTHERS_DIARY: &str = "dear diary of another agent";

/// The machine.
pub struct World {
    pub data: PathBuf,
    pub driver: LocalDriver,
    pub key: AgentKey,
    pub revision: RevisionId,
    /// A port of somebody else on this machine.
    pub others_port: u16,
    _room: tempfile::TempDir,
    _model: TestModel,
    _port: TcpListener,
    _sockets: Vec<UnixListener>,
}

/// Prints the steps, so that a slow or failed start explains itself.
struct Steps;
impl StepSink for Steps {
    fn step(&self, kind: StepKind, state: StepState, note: Option<String>) {
        eprintln!("{kind} {state} {}", note.unwrap_or_default());
    }
}

impl World {
    /// Deploys an Agent with this Harness and opens its route.
    pub async fn with(harness: HarnessId) -> Self {
        let (runtimes, program) = (runtimes(), env!("CARGO_BIN_EXE_occ-runtime").into());
        let room = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let data = room.path().join("data");
        let other = data.join("agents/agt_0196f0c800007000800000000000000b/workspace");
        for folder in [&other, &data.join("database"), &data.join("run")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(data.join("occ.key"), OCC_KEY).unwrap();
        fs::write(other.join("diary"), OTHERS_DIARY).unwrap();
        let sockets = ["database/.s.PGSQL.5432", "run/occ.sock"]
            .map(|name| UnixListener::bind(relative(&data.join(name))).unwrap())
            .into();
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let model = TestModel::start(Config::with_keys([MODEL_KEY])).await.unwrap();
        let installation = InstallationId::new();
        let key = AgentKey { installation, namespace: NamespaceId::new(), agent: AgentId::new() };
        let config =
            LocalConfig { installation, data: data.clone(), runtimes, program, isolation: Isolation::Bubblewrap };
        let world = Self {
            data,
            driver: LocalDriver::open(config).await.unwrap(),
            key,
            revision: RevisionId::new(),
            others_port: port.local_addr().unwrap().port(),
            _room: room,
            _model: model,
            _port: port,
            _sockets: sockets,
        };
        world.deploy(snapshot(harness, &world._model.base_url())).await;
        world
    }

    async fn deploy(&self, snapshot: Snapshot) {
        let desired = Desired { key: self.key, revision: self.revision, number: 1, snapshot: Arc::new(snapshot) };
        let secrets = SecretValues {
            model_key: Some(SecretBytes::new(MODEL_KEY.into())),
            bindings: [("/channels/telegram/botToken".to_owned(), SecretBytes::new(CHANNEL_SECRET.into()))].into(),
        };
        let prepared = self.driver.prepare_revision(call(), &desired, &secrets, None, &Steps).await.unwrap();
        assert!(matches!(prepared, Prepared::Ready(_)), "{prepared:?}");
        let activated = self.driver.activate_revision(call(), &desired, None, StopOptions::default(), &Steps).await;
        if let Err(error) = activated {
            let lines = self.driver.logs(self.key, occ_driver::LogQuery { tail: 60 }).await.unwrap();
            panic!("{error}\n{}", lines.into_iter().map(|l| format!("{} {}\n", l.source, l.text)).collect::<String>());
        }
        self.driver.open_route(call(), self.key, self.revision).await.unwrap();
    }

    /// One turn in a conversation of its own; the reply's text, or the error's body.
    pub async fn turn(&self, text: &str) -> String {
        let stream = self.driver.connect(self.key).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let body = json!({"model": "openclaw", "messages": [{"role": "user", "content": text}]});
        let request = http::Request::post("/v1/chat/completions")
            .header("host", "agent")
            .header("content-type", "application/json")
            .header("x-occ-revision", self.revision.to_string())
            .body(Full::new(Bytes::from(body.to_string())))
            .unwrap();
        let answer = sender.send_request(request).await.unwrap();
        let status = answer.status();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        match value.pointer("/choices/0/message/content").and_then(Value::as_str) {
            Some(reply) if status.is_success() => reply.to_owned(),
            _ => format!("{status} {}", String::from_utf8_lossy(&bytes)),
        }
    }

    /// Lets the model call `tool` and returns what the turn says of it.
    pub async fn call(&self, tool: &str, args: Value) -> String {
        let reply = self.turn(&format!("CALL {} END", json!({"name": tool, "args": args}))).await;
        eprintln!("--- {tool} {args}\n{reply}");
        reply
    }

    /// This Agent's folder.
    pub fn agent(&self) -> PathBuf {
        self.data.join("agents").join(self.key.agent.to_string())
    }

    /// Where its secret files lie: somewhere in memory, found by name.
    pub fn secret_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for root in [Path::new("/dev/shm"), &self.data] {
            find(root, &|path| path.ends_with("model-key") || path.ends_with("gateway-token"), &mut found);
        }
        found.retain(|path| path.to_string_lossy().contains(&self.key.agent.to_string()));
        found
    }

    /// Ends the Agent and removes it.
    pub async fn end(self) {
        let stop = StopOptions { grace: Duration::from_secs(1) };
        self.driver.delete_agent(call(), self.key, stop).await.unwrap();
    }
}

/// Claims that outlast a slow machine.
fn call() -> Call {
    Call { epoch: 1, deadline: Instant::now() + Duration::from_secs(240) }
}

fn snapshot(harness: HarnessId, base_url: &str) -> Snapshot {
    let mut provider = json!({
        "baseUrl": base_url, "api": "openai-completions",
        "models": [{"id": "test-1", "name": "Test 1", "contextWindow": 128_000, "maxTokens": 4096}],
    });
    if harness == HarnessId::Codex {
        provider["api"] = json!("openai-responses");
        provider["agentRuntime"] = json!({"id": "codex"});
    }
    let name = if harness == HarnessId::Codex { "codex" } else { "test" };
    let values = json!({
        "models": {"providers": {name: provider}},
        "agents": {"defaults": {"model": format!("{name}/test-1")}},
        "channels": {"telegram": {"enabled": false}},
    });
    let secret = |name: &str| serde_json::from_value(json!(name)).unwrap();
    let auth = HarnessAuth { provider: name.to_owned(), api_key: Some(secret("model-key")) };
    let selection = select(&values, mode_of(harness), Some(&auth)).unwrap();
    let versions = pinned();
    let version = if harness == HarnessId::Codex { &versions.1 } else { &versions.0 };
    Snapshot {
        configuration_id: ConfigurationId::new(),
        configuration: "walls".parse().unwrap(),
        configuration_generation: 1,
        values,
        secret_bindings: vec![
            serde_json::from_value(json!({"pointer": "/channels/telegram/botToken", "secret": "telegram"})).unwrap(),
        ],
        harness_auth: Some(auth),
        harness: Harness { id: harness, version: version.clone(), mode: mode_of(harness) },
        provider: selection.provider,
        models: selection.models,
        gateway_version: versions.0.clone(),
        secrets: Vec::new(),
        drivers: std::collections::BTreeMap::new(),
        backend_id: None,
        initial_workspace_files: std::collections::BTreeMap::new(),
    }
}

/// Versions of OpenClaw and Codex in `runtimes/versions.json`.
fn pinned() -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtimes/versions.json");
    let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let version = |name: &str| value[name].as_str().unwrap().to_owned();
    (version("openclaw"), version("codex"))
}

/// Where the real runtimes are.
fn runtimes() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    let cache = || std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("occ/runtimes");
    let found = std::env::var_os("OCC_RUNTIMES_DIR").map_or_else(cache, PathBuf::from);
    let (openclaw, codex) = pinned();
    for name in [format!("openclaw-{openclaw}"), format!("codex-{codex}")] {
        assert!(
            found.join(&name).join(".complete").is_file(),
            "{name} is not in {}: run runtimes/install.sh",
            found.display()
        );
    }
    found
}

/// A socket's path is short: seen from the current directory it is even when the target folder is deep.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative = up.join(path.strip_prefix("/").unwrap());
    if relative.as_os_str().len() < path.as_os_str().len() { relative } else { path.to_owned() }
}

fn find(root: &Path, wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            find(&path, wanted, found);
        } else if wanted(&path) {
            found.push(path);
        }
    }
}
