//! One Agent behind its walls, with everything around it that it must not reach.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use occ_driver::{ComputeDriver as _, Desired, Prepared, SecretBytes};
use occ_model::agent::ExecutionMode;
use occ_supervisor::files::Place;
use serde_json::{Value, json};

use crate::common::turn::turn_in;
use crate::common::{GRACE, MODEL_KEY, Stand, Steps, secrets};

/// Where the channel's secret is bound.
const BOUND: &str = "/channels/telegram/botToken";
/// What nobody may ever see in a reply.
const CHANNEL_SECRET: &str = "1234567:channel-secret-of-the-stand";
const OCC_KEY: &str = "the-key-of-all-keys";
const DIARY: &str = "dear diary of another agent";
/// Content of the gateway's configuration, and nowhere else.
const CONFIGURATION: &str = "chatCompletions";

pub struct Walled {
    stand: Stand,
    desired: Desired,
    /// Other people's things on this machine.
    port: TcpListener,
    sockets: Vec<UnixListener>,
    files: Vec<PathBuf>,
    /// Files and what was in them before the first turn.
    before: Vec<(PathBuf, Vec<u8>)>,
    turns: AtomicU32,
}

impl Walled {
    pub async fn deploy(mode: ExecutionMode) -> Self {
        let stand = Stand::new().await;
        let data = stand.data.path().to_owned();
        let other = data.join("agents/agt_0196f0c800007000800000000000000b/workspace");
        for folder in [&other, &data.join("database")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(data.join("occ.key"), OCC_KEY).unwrap();
        fs::write(other.join("diary"), DIARY).unwrap();
        let sockets = ["database/.s.PGSQL.5432", "occ.sock"].map(|name| listen(&data.join(name))).into();
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        port.set_nonblocking(true).unwrap();

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

        let mut files = vec![data.join("occ.key"), other.join("diary")];
        let place = Place::new(&data).unwrap().of(key);
        let revision = place.revision(desired.revision);
        files.push(revision.config().join("openclaw.json"));
        for folder in ["gateway", "harness"].map(|side| revision.memory().join(side)) {
            files.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        if mode == ExecutionMode::Dedicated {
            files.push(revision.codex_home().join("config.toml"));
        }
        assert!(files.iter().any(|file| file.ends_with("model-key")), "{files:?}");
        assert!(files.iter().filter(|file| file.to_string_lossy().contains("binding")).count() == 1, "{files:?}");
        let turns = AtomicU32::new(0);
        let before = files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
        let walled = Self { stand, desired, port, sockets, files, before, turns };
        walled.write_probe();
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
        let real = self.files.iter().map(|file| file.display().to_string());
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

    fn write_probe(&self) {
        let gateway: Value = serde_json::from_slice(&self.before[2].1).unwrap();
        let ports =
            [self.others_port(), self.stand.model.address().port(), port(&gateway)].map(|port| port.to_string());
        let script = format!(
            "{looks}; for p in {ports}; do for h in 127.0.0.1 ::1; do \
             bash -c \"exec 3<>/dev/tcp/$h/$p\" 2>/dev/null && got $h:$p; done; done; \
             for w in /usr/x /etc/x {agent}/x {data}/x; do touch $w 2>/dev/null && got $w; done; \
             P=$(mktemp -p $(dirname $0) proof.XXXXXX); echo wrote >$P && cat $P; echo pro''bed",
            looks = self.looks(),
            ports = ports.join(" "),
            agent = self.place().root().display(),
            data = self.stand.data.path().display(),
        );
        fs::write(self.place().workspace().join("probe"), script).unwrap();
    }

    /// The part of the probe that only looks. Words are split, so that the command itself is not taken for its result.
    fn looks(&self) -> String {
        let place = self.place();
        let data = self.stand.data.path();
        let sockets = [data.join("occ.sock"), data.join("database/.s.PGSQL.5432"), place.control(), place.door()];
        let [files, sockets] = [&self.files[..], &sockets]
            .map(|paths| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" "));
        let (key, last) = MODEL_KEY.split_at(MODEL_KEY.len() - 1);
        let secret = format!("-e OPENCLAW_STATE_DI[R] -e OCC_MODEL_KE[Y] -e {key}[{last}]");
        format!(
            "got() {{ echo REA''CHED $1; }}; for f in {files}; do cat $f >/dev/null 2>&1 && got $f; done; \
             for s in {sockets}; do test -e $s && got $s; done; \
             for e in /proc/[0-9]*/environ; do tr '\\0' '\\n' <$e 2>/dev/null | grep -q {secret} && got $e; done; \
             grep -lq -e openclaw-gatewa[y] -e app-serve[r] /proc/[0-9]*/cmdline 2>/dev/null && got processes; \
             env | grep -q {secret} && got environment"
        )
    }

    /// Outside the walls the probe reaches every file and socket, the gateway's processes and their environment: that it reaches
    /// nothing inside is not for lack of trying.
    pub fn the_probe_is_able(&self) {
        let output = std::process::Command::new("bash").arg("-c").arg(self.looks()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        for file in &self.files {
            assert!(said.contains(&format!("REACHED {}", file.display())), "{} in {said}", file.display());
        }
        assert!(said.contains("control.sock") && said.contains("/environ") && said.contains("processes"), "{said}");
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
        for secret in ["REACHED", MODEL_KEY, CHANNEL_SECRET, OCC_KEY, DIARY, CONFIGURATION, token.trim()] {
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
        for socket in &self.sockets {
            assert_eq!(socket.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        for (file, content) in &self.before {
            assert!(fs::read(file).unwrap() == *content, "{} was changed", file.display());
        }
    }

    pub async fn stop(&self) {
        self.stand.driver.stop_revision(self.stand.call(), self.desired.key, GRACE).await.unwrap();
    }

    pub async fn end(self) {
        self.stand.driver.delete_agent(self.stand.call(), self.desired.key, GRACE).await.unwrap();
    }
}

fn port(document: &Value) -> u16 {
    document["gateway"]["port"].as_u64().and_then(|port| port.try_into().ok()).unwrap()
}

/// A socket's path is short; seen from its folder it always is.
fn listen(path: &Path) -> UnixListener {
    let short = tempfile::tempdir().unwrap();
    let folder = short.path().join("d");
    std::os::unix::fs::symlink(path.parent().unwrap(), &folder).unwrap();
    let socket = UnixListener::bind(folder.join(path.file_name().unwrap())).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}
