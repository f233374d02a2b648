//! One Agent behind its walls, with everything around it that it must not reach.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use occ_driver::{ComputeDriver as _, Desired, Prepared, SecretBytes};
use occ_model::agent::ExecutionMode;
use occ_supervisor::files::Place;
use serde_json::{Value, json};

use crate::common::processes::gateway;
use crate::common::turn::turn_in;
use crate::common::{GRACE, MODEL_KEY, Stand, Steps, secrets};

/// Where the channel's secret is bound.
const BOUND: &str = "/channels/telegram/botToken";
/// What nobody may ever see in a reply.
const CHANNEL_SECRET: &str = "1234567:channel-secret-of-the-stand";
const OCC_KEY: &str = "the-key-of-all-keys";
const DIARY: &str = "dear diary of another agent";
const OTHERS_KEY: &str = "sk-model-key-of-another-agent";
/// Content of the gateway's configuration, and nowhere else.
const CONFIGURATION: &str = "chatCompletions";
/// Another Agent, as far as the machine sees one.
const OTHER: &str = "agt_0196f0c800007000800000000000000b";

pub struct Walled {
    stand: Stand,
    desired: Desired,
    /// Other people's things on this machine.
    port: TcpListener,
    sockets: Vec<(PathBuf, UnixListener)>,
    process: Decoy,
    others: Vec<PathBuf>,
    /// Where PostgreSQL listens when its folder's name is too long.
    _elsewhere: tempfile::TempDir,
    files: Vec<PathBuf>,
    /// Files that nothing changes, and what was in them before the first turn.
    before: Vec<(PathBuf, Vec<u8>)>,
    turns: AtomicU32,
}

impl Walled {
    pub async fn deploy(mode: ExecutionMode) -> Self {
        let stand = Stand::new().await;
        let data = stand.data.path().to_owned();
        let place = Place::new(&data).unwrap();
        // As OCC has it: its keys, its database, another Agent with its files, secrets, sockets, port and process.
        let memory = place.memory().join("secrets").join(OTHER);
        let diary = data.join("agents").join(OTHER).join("workspace/diary");
        let mut files = vec![data.join("keys/ring/0001"), diary, memory.join("held.json")];
        for (file, content) in files.iter().zip([OCC_KEY, DIARY, OTHERS_KEY]) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let elsewhere = tempfile::tempdir_in("/tmp").unwrap();
        let (database, run) = (data.join("postgres/run"), data.join("run").join(OTHER));
        let sockets = [
            database.join(".s.PGSQL.5432"),
            elsewhere.path().join(".s.PGSQL.5432"),
            run.join("control.sock"),
            run.join("door.sock"),
        ];
        let sockets = sockets.map(|path| (path.clone(), listen(&path))).into();
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        port.set_nonblocking(true).unwrap();
        let mut process = Command::new("sleep");
        process.arg0("another-agents-gateway").arg("infinity").env("ANOTHERS_KEY", OTHERS_KEY);
        let process = Decoy(process.spawn().unwrap());
        let others = vec![data.join("agents").join(OTHER), memory];

        let key = stand.agent();
        let mut desired =
            stand.desired(key, mode, |values| values["channels"] = json!({"telegram": {"enabled": false}}));
        let binding = serde_json::from_value(json!({"pointer": BOUND, "secret": "telegram"})).unwrap();
        Arc::get_mut(&mut desired.snapshot).unwrap().secret_bindings.push(binding);
        let mut values = secrets();
        values.bindings.insert(BOUND.to_owned(), SecretBytes::new(CHANNEL_SECRET.into()));
        let prepared = stand.driver.prepare_revision(stand.call(), &desired, &values, None, &Steps).await.unwrap();
        assert!(matches!(prepared, Prepared::Ready(_)), "{prepared:?}");
        stand.activate(&desired, None).await;
        stand.driver.open_route(stand.call(), key, desired.revision).await.unwrap();

        let place = place.of(key);
        let revision = place.revision(desired.revision);
        files.extend([revision.config().join("openclaw.json"), revision.held(), revision.snapshot(), place.mark()]);
        for folder in ["gateway", "harness"].map(|side| revision.memory().join(side)) {
            files.extend(files_in(&folder));
        }
        assert!(files.iter().any(|file| file.ends_with("model-key")), "{files:?}");
        assert!(files.iter().filter(|file| file.to_string_lossy().contains("binding")).count() == 1, "{files:?}");
        let before = files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
        // These change as the Agent runs: Codex writes what it knows of its projects into its own configuration.
        if mode == ExecutionMode::Dedicated {
            files.push(revision.codex_home().join("config.toml"));
        }
        for folder in [place.logs(), place.state()] {
            files.push(files_in(&folder).next().unwrap_or_else(|| panic!("{} is empty", folder.display())));
        }
        let turns = AtomicU32::new(0);
        let walled =
            Self { stand, desired, port, sockets, process, others, _elsewhere: elsewhere, files, before, turns };
        fs::write(walled.place().workspace().join("probe"), walled.script()).unwrap();
        walled
    }

    pub fn others_port(&self) -> u16 {
        self.port.local_addr().unwrap().port()
    }

    /// Where the gateway's secret files lie.
    pub fn secrets(&self) -> PathBuf {
        let gateway = self.files.iter().find(|file| file.ends_with("gateway-token")).unwrap();
        gateway.parent().unwrap().to_owned()
    }

    pub fn supervisor(&self) -> rustix::process::Pid {
        self.stand.supervisor(self.desired.key).unwrap()
    }

    fn place(&self) -> occ_supervisor::files::AgentPlace {
        Place::new(self.stand.data.path()).unwrap().of(self.desired.key)
    }

    /// Files that must stay out of reach, and the links to two of them that [`Self::links`] makes.
    pub fn files(&self) -> Vec<String> {
        let real = self.files.iter().chain(&self.others).map(|file| file.display().to_string());
        real.chain(["link", "memory/link.md", "../link", "/etc/passwd"].map(str::to_owned)).collect()
    }

    /// A command that makes links in the workspace to what lies outside.
    pub fn links(&self) -> String {
        let (token, config) =
            (self.secrets().join("gateway-token"), self.place().revision(self.desired.revision).config());
        format!(
            "mkdir -p memory; ln -sf {} link; ln -sf {}/openclaw.json memory/link.md",
            token.display(),
            config.display()
        )
    }

    /// A command that tries everything and says what it reached, then that it came to its end.
    pub fn probe(&self) -> String {
        format!("bash {}", self.place().workspace().join("probe").display())
    }

    /// Everything is tried; what only looks is tried first.
    fn script(&self) -> String {
        format!(
            "{looks}; for w in /usr/x /etc/x {agent}/x {data}/x; do touch $w 2>/dev/null && got $w; done; \
             P=$(mktemp -p $(dirname $0) proof.XXXXXX); echo wrote >$P && cat $P; echo pro''bed",
            looks = self.looks(),
            agent = self.place().root().display(),
            data = self.stand.data.path().display(),
        )
    }

    /// Ports of another, of the model, of this Agent's gateway and of its Harness.
    fn ports(&self) -> Vec<u16> {
        let config = self.place().revision(self.desired.revision).config().join("openclaw.json");
        let document: Value = serde_json::from_slice(&fs::read(config).unwrap()).unwrap();
        let gateway = document["gateway"]["port"].as_u64().unwrap();
        let harness = document.pointer("/plugins/entries/codex/config/appServer/url").and_then(Value::as_str);
        let harness = harness.map(|url| -> u16 { url.rsplit_once(':').unwrap().1.parse().unwrap() });
        let mut ports = vec![self.others_port(), self.stand.model.address().port(), gateway.try_into().unwrap()];
        ports.extend(harness);
        ports
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let own = [self.place().control(), self.place().door()];
        self.sockets.iter().map(|(path, _)| path.clone()).chain(own).collect()
    }

    /// Processes of another Agent and of this one.
    fn processes(&self) -> [String; 3] {
        let (supervisor, other) = (self.supervisor(), self.process.0.id());
        [other.to_string(), supervisor.to_string(), gateway(supervisor).to_string()]
    }

    /// The part of the probe that only looks. Words are split, so that the command itself is not taken for its result.
    fn looks(&self) -> String {
        let words =
            |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
        let ports: Vec<String> = self.ports().iter().map(u16::to_string).collect();
        let bracketed = |word: &str| format!("-e {}[{}]", &word[..word.len() - 1], &word[word.len() - 1..]);
        let secret = ["OPENCLAW_STATE_DIR", "OCC_MODEL_KEY", MODEL_KEY, OTHERS_KEY].map(bracketed).join(" ");
        let programs = ["openclaw-gateway", "app-server", "another-agents-gateway"].map(bracketed).join(" ");
        format!(
            "got() {{ echo REA''CHED $1; }}; for f in {files}; do cat $f >/dev/null 2>&1 && got $f; done; \
             for d in {folders}; do ls $d >/dev/null 2>&1 && got $d; done; \
             for s in {sockets}; do test -e $s && got $s; \
             perl -MIO::Socket::UNIX -e 'exit !IO::Socket::UNIX->new(shift)' $s 2>/dev/null && got talk:$s; done; \
             for p in {ports}; do for h in 127.0.0.1 ::1; do \
             bash -c \"exec 3<>/dev/tcp/$h/$p\" 2>/dev/null && got $h:$p; done; done; \
             for p in {processes}; do kill -0 $p 2>/dev/null && got process:$p; done; \
             for e in /proc/[0-9]*/environ; do tr '\\0' '\\n' <$e 2>/dev/null | grep -q {secret} && got $e; done; \
             grep -lq {programs} /proc/[0-9]*/cmdline 2>/dev/null && got processes; \
             env | grep -q {secret} && got environment",
            files = words(&self.files),
            folders = words(&self.others),
            sockets = words(&self.sockets()),
            ports = ports.join(" "),
            processes = self.processes().join(" "),
        )
    }

    /// Outside the walls the probe reaches every file, socket, port and process: that it reaches nothing inside is not for lack of
    /// trying.
    pub fn the_probe_is_able(&self) {
        let output = Command::new("bash").arg("-c").arg(self.looks()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let mut wanted: Vec<String> =
            self.files.iter().chain(&self.others).map(|path| path.display().to_string()).collect();
        for socket in self.sockets() {
            wanted.extend([socket.display().to_string(), format!("talk:{}", socket.display())]);
        }
        wanted.extend(self.ports().iter().map(|port| format!("127.0.0.1:{port}")));
        wanted.extend(self.processes().map(|pid| format!("process:{pid}")));
        wanted.extend(["processes".to_owned(), format!("/proc/{}/environ", self.process.0.id())]);
        for what in wanted {
            assert!(said.lines().any(|line| line == format!("REACHED {what}")), "{what} in {said}");
        }
        // What it left at other people's doors.
        while self.port.accept().is_ok() {}
        self.sockets.iter().for_each(|(_, socket)| while socket.accept().is_ok() {});
    }

    /// A turn in which the model calls `tool`; what the Agent said of it.
    pub async fn call(&self, tool: &str, args: Value) -> String {
        self.call_all([(tool, args)]).await
    }

    /// A turn in which the model calls all of these at once. Each has a conversation of its own, but for what goes on with a command
    /// in the background: that belongs to the conversation it was started in.
    pub async fn call_all<'a>(&self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> String {
        let calls: Vec<_> = calls.into_iter().collect();
        let goes_on = calls.iter().any(|(tool, _)| matches!(*tool, "process" | "write_stdin"));
        let before = self.turns.fetch_add(u32::from(!goes_on), Ordering::Relaxed);
        let session = format!("agent:main:occ:walls-{}", before + u32::from(!goes_on));
        let calls = calls.into_iter().map(|(tool, args)| format!("CALL {} END", json!({"name": tool, "args": args})));
        let said = calls.collect::<Vec<_>>().join("\n");
        let (key, revision) = (self.desired.key, self.desired.revision);
        let answer = turn_in(&self.stand.driver, key, revision, &session, &said).await.expect("a turn");
        println!("--- {said}\n{}", answer.text());
        assert!(answer.status.is_success(), "{answer:?}");
        answer.text().to_owned()
    }

    /// The same as [`Self::call`], and the reply tells nothing that it must not.
    pub async fn must_not(&self, tool: &str, args: Value) -> String {
        self.none_must([(tool, args)]).await
    }

    /// The same as [`Self::call_all`], and the reply tells nothing that it must not.
    pub async fn none_must<'a>(&self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> String {
        let reply = self.call_all(calls).await;
        let token = fs::read_to_string(self.secrets().join("gateway-token")).unwrap();
        for secret in ["REACHED", MODEL_KEY, CHANNEL_SECRET, OCC_KEY, DIARY, OTHERS_KEY, CONFIGURATION, token.trim()] {
            assert!(!reply.contains(secret), "{secret} came back: {reply}");
        }
        reply
    }

    /// The same, and each probe came to its end inside the workspace.
    pub async fn all_must_probe<const N: usize>(&self, calls: [(&str, Value); N]) {
        let reply = self.none_must(calls).await;
        for word in ["wrote", "probed"] {
            assert!(reply.matches(word).count() >= N, "{word}: {reply}");
        }
    }

    /// Asks for a background command until it said `word`.
    pub async fn must_say(&self, args: &Value, word: &str) {
        for _ in 0..20 {
            if self.must_not("process", args.clone()).await.contains(word) {
                return;
            }
        }
        panic!("never said {word}");
    }

    /// Nobody connected, nothing was changed.
    pub fn nothing_was_touched(&self) {
        assert_eq!(self.port.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        for (path, socket) in &self.sockets {
            assert_eq!(socket.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{}", path.display());
        }
        for (file, content) in &self.before {
            assert!(fs::read(file).unwrap() == *content, "{} was changed", file.display());
        }
        for file in &self.files[self.before.len()..] {
            assert!(fs::read(file).unwrap() != b"changed\n", "{} was replaced", file.display());
        }
    }

    pub async fn stop(&self) {
        self.stand.driver.stop_revision(self.stand.call(), self.desired.key, GRACE).await.unwrap();
    }

    pub async fn end(self) {
        self.stand.driver.delete_agent(self.stand.call(), self.desired.key, GRACE).await.unwrap();
        self.others.iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    }
}

/// Another Agent's process.
struct Decoy(Child);

impl Drop for Decoy {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Every file under a folder.
fn files_in(folder: &Path) -> Box<dyn Iterator<Item = PathBuf>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    Box::new(entries.flat_map(|path| -> Box<dyn Iterator<Item = PathBuf>> {
        if path.is_dir() { files_in(&path) } else { Box::new(std::iter::once(path)) }
    }))
}

/// A socket's path is short; seen from its folder it always is.
fn listen(path: &Path) -> UnixListener {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let short = tempfile::tempdir().unwrap();
    let folder = short.path().join("d");
    std::os::unix::fs::symlink(path.parent().unwrap(), &folder).unwrap();
    let socket = UnixListener::bind(folder.join(path.file_name().unwrap())).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}
