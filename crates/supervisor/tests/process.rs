//! Programs inside the walls, without a runtime: what they see, how they end, and that they end with their supervisor.
//!
//! Needs bubblewrap and nested user namespaces; where these are missing the tests fail, because Agents cannot run there either.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use occ_supervisor::logs::{LogBook, Redactor, Source};
use occ_supervisor::process::{Child, Exit};
use occ_supervisor::sandbox::{
    Identity, InnerWall, Isolation, Launch, Limits, Place, SandboxSpec, SecretVariable, UidRange, check, wall,
};

/// The shim as a program (`src/bin/occ-shim.rs`).
fn shim() -> PathBuf {
    env!("CARGO_BIN_EXE_occ-shim").into()
}

/// A small world: an Agent's directories and a secret beside them that it must not see.
struct World {
    room: tempfile::TempDir,
    spec: SandboxSpec,
    book: LogBook,
}

impl World {
    fn new(isolation: Isolation) -> Self {
        let room = tempfile::tempdir().unwrap();
        let [workspace, state, tmp, run] = ["workspace", "state", "tmp", "run"].map(|name| room.path().join(name));
        let identity = if Identity::may_differ() && isolation == Isolation::Bubblewrap {
            UidRange::of("test").identity(1).unwrap()
        } else {
            Identity::Same
        };
        for path in [&workspace, &state, &tmp, &run] {
            fs::create_dir(path).unwrap();
            identity.give(path).unwrap();
        }
        fs::write(room.path().join("occ.key"), "the key of keys").unwrap();
        fs::write(state.join("model-key"), "sk-own-key\n").unwrap();
        identity.give(&state.join("model-key")).unwrap();
        let spec = SandboxSpec {
            isolation,
            program: shim(),
            identity,
            inner: InnerWall::Shell,
            places: vec![Place::read_write(&workspace), Place::read_write(&state)],
            tmp,
            run,
            workspace,
            limits: Limits::none(),
        };
        let book = LogBook::open(&room.path().join("logs"), Redactor::new()).unwrap();
        Self { room, spec, book }
    }

    fn launch(&self, program: &str, script: &str) -> Launch {
        Launch {
            program: program.into(),
            args: vec!["-c".into(), script.into()],
            env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("MARK".to_owned(), "outer".to_owned())].into(),
            directory: self.spec.workspace.clone(),
            secret_variable: None,
        }
    }

    async fn start(&self, launch: &Launch) -> Child {
        Child::start(&self.spec, launch, &self.book, Source::Harness).await.unwrap()
    }

    /// Runs `script` to its end: what it said and how it ended.
    async fn run(&self, program: &str, script: &str) -> (String, Exit) {
        let child = self.start(&self.launch(program, script)).await;
        let exit = child.wait().await;
        (child.last_lines().into_iter().map(|line| line.text + "\n").collect(), exit)
    }

    /// Waits until the log has a line with `text`.
    async fn hears(&self, text: &str) -> String {
        use futures::StreamExt as _;
        let lines = self.book.follow(1_000).unwrap();
        let mut lines = std::pin::pin!(lines);
        loop {
            let line = lines.next().await.unwrap();
            if line.text.contains(text) {
                return line.text;
            }
        }
    }
}

#[tokio::test]
async fn the_walls_stand_on_this_machine() {
    let standing = check(Isolation::Bubblewrap, &shim()).await.unwrap();
    assert!(standing.outer && standing.inner);
    assert_eq!(standing.own_uid, Identity::may_differ());
}

#[tokio::test]
async fn outside_the_outer_wall_nothing_of_the_machine_is_seen() {
    let world = World::new(Isolation::Bubblewrap);
    let room = world.room.path().display();
    let script = format!(
        "ls {room}; cat {room}/occ.key; ls /root /home /var /run /sys; ls /proc | grep -c '^[0-9]*$'; env | sort; \
         touch /usr/x /etc/x /x; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; echo own > {room}/state/x && cat {room}/state/x"
    );
    let (said, exit) = world.run("/bin/sh", &script).await;
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(!said.contains("key of keys") && said.contains("occ.key: No such file"), "{said}");
    for closed in ["/root", "/home", "/var", "/run", "/sys"] {
        assert!(said.contains(&format!("'{closed}': No such file")), "{closed}: {said}");
    }
    for written in ["/usr/x", "/etc/x", "/x"] {
        assert!(said.contains(&format!("cannot touch '{written}'")), "{written}: {said}");
    }
    assert!(said.contains("NoNewPrivs:\\t1") && said.contains("CapEff:\\t0000000000000000"), "{said}");
    assert!(said.contains("MARK=outer") && !said.contains("CARGO"), "{said}");
    assert!(said.lines().last().is_some_and(|line| line == "own"), "{said}");
}

#[tokio::test]
async fn behind_the_inner_wall_there_is_the_workspace_and_nothing_else() {
    let world = World::new(Isolation::Bubblewrap);
    let room = world.room.path().display();
    let script = format!(
        "pwd; ls -A {room}; cat {room}/state/model-key {room}/occ.key; ls /proc | grep -c '^[0-9]*$'; cat /proc/1/environ | tr '\\0' ' '; \
         ls /occ; cat /proc/1/mem; env | sort; (exec 3<>/dev/tcp/127.0.0.1/22) ; ls /sys/class/net 2>&1; echo kept > {room}/workspace/f; exit 3"
    );
    let (said, exit) = world.run(wall::SHELL, &script).await;
    assert_eq!(exit, Exit::Code(3), "{said}");
    assert!(said.contains("workspace"), "{said}");
    assert!(!said.contains("sk-own") && !said.contains("key of keys") && !said.contains("MARK"), "{said}");
    assert!(said.contains("model-key: No such file") && said.contains("'/occ': No such file"), "{said}");
    assert_eq!(fs::read_to_string(world.spec.workspace.join("f")).unwrap(), "kept\n");
}

#[tokio::test]
async fn a_command_that_starts_elsewhere_is_led_to_the_workspace() {
    let world = World::new(Isolation::Bubblewrap);
    let mut launch = world.launch(wall::SHELL, "pwd");
    launch.directory = "/usr".into();
    let child = world.start(&launch).await;
    assert_eq!(child.wait().await, Exit::Code(0));
    assert_eq!(child.last_lines()[0].text, world.spec.workspace.display().to_string());
}

#[tokio::test]
async fn a_key_goes_to_the_program_and_into_no_argument_or_log() {
    let world = World::new(Isolation::Bubblewrap);
    world.book.redactor().learn("sk-own-key");
    let mut launch = world.launch("/bin/sh", "test \"$KEY\" = sk-own-key && echo same; echo \"it is $KEY\"");
    launch.secret_variable =
        Some(SecretVariable { name: "KEY".into(), file: world.room.path().join("state/model-key") });
    let child = world.start(&launch).await;
    assert_eq!(child.wait().await, Exit::Code(0));
    let said: Vec<_> = child.last_lines().into_iter().map(|line| line.text).collect();
    assert_eq!(said, ["same", "it is [redacted]"]);
}

#[tokio::test]
async fn term_reaches_the_program_itself() {
    for isolation in [Isolation::Bubblewrap, Isolation::None] {
        let world = World::new(isolation);
        let launch =
            world.launch("/bin/sh", "trap 'echo drained; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
        let child = world.start(&launch).await;
        world.hears("ready").await;
        assert!(child.memory().is_some_and(|bytes| bytes > 0));
        child.terminate().await;
        assert_eq!(child.wait().await, Exit::Code(7), "{isolation:?}");
        assert_eq!(child.memory(), None);
    }
}

#[tokio::test]
async fn kill_ends_the_program_and_what_it_started() {
    for isolation in [Isolation::Bubblewrap, Isolation::None] {
        let world = World::new(isolation);
        let beat = world.spec.workspace.join("beat");
        let script = format!(
            "trap '' TERM HUP; (while :; do date +%N > {}; sleep 0.02; done) & echo ready; wait",
            beat.display()
        );
        let child = world.start(&world.launch("/bin/sh", &script)).await;
        world.hears("ready").await;
        assert_eq!(child.kill().await, Exit::Signal(9), "{isolation:?}");
        // Nothing writes any more: the file stays away once it is removed.
        let _ = fs::remove_file(&beat);
        assert_nothing_runs_in(&world.spec.workspace);
        assert!(!beat.exists());
    }
}

#[tokio::test]
async fn a_dropped_child_ends() {
    let world = World::new(Isolation::Bubblewrap);
    let child = world.start(&world.launch("/bin/sh", "echo ready; sleep 1000")).await;
    world.hears("ready").await;
    let mut exit = Box::pin(async { child.wait().await });
    assert!(futures::poll!(&mut exit).is_pending());
    drop(exit);
    let waited = child.ended();
    drop(child);
    assert_eq!(waited.await, Exit::Signal(9));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_from_one_that_ended() {
    for isolation in [Isolation::Bubblewrap, Isolation::None] {
        let world = World::new(isolation);
        let (said, exit) = world.run("/nowhere/program", "").await;
        assert_eq!(exit, Exit::NotStarted, "{isolation:?} {said}");
        assert!(said.contains("could not start the program"), "{said}");
    }
}

#[tokio::test]
async fn every_start_has_an_identity_of_its_own() {
    let world = World::new(Isolation::None);
    let launch = world.launch("/bin/sh", "exit 0");
    let (first, second) = (world.start(&launch).await, world.start(&launch).await);
    assert_ne!(first.identity(), second.identity());
    assert_eq!(first.wait().await, Exit::Code(0));
    assert_eq!(second.wait().await, Exit::Code(0));
}

/// No process has its working directory in `path`.
fn assert_nothing_runs_in(path: &Path) {
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if let Ok(directory) = fs::read_link(entry.path().join("cwd")) {
            assert_ne!(directory, path, "{} is left", entry.file_name().display());
        }
    }
}
