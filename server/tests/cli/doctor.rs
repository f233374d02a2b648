//! `occ doctor`: every common trouble is found and has a next step; the exit code says whether something is wrong.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use sqlx::PgPool;

use crate::world::{Machine, Ran, ended};

/// Lines that say what is wrong; each is followed by a next step, and the exit code agrees.
fn wrong(ran: &Ran) -> Vec<String> {
    let lines: Vec<&str> = ran.out.lines().collect();
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if line.starts_with("WRONG  ") || line.starts_with("note   ") {
            assert!(lines[place + 1].starts_with("       next: "), "{ran:?}");
        }
        found.extend(line.strip_prefix("WRONG  ").map(str::to_owned));
    }
    assert_eq!(ran.code, i32::from(!found.is_empty()), "{ran:?}");
    // What the machine of the tests has or has not is not the matter here.
    found.retain(|line| !line.contains("memory") && !line.contains("sandbox") && !line.contains("MiB are free"));
    found
}

fn doctor(machine: &Machine) -> Vec<String> {
    wrong(&machine.run(&["doctor"]))
}

/// Runtimes that look installed.
pub fn install_runtimes(machine: &Machine) {
    let pin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtimes/versions.json");
    let pin: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(pin).unwrap()).unwrap();
    for name in ["openclaw", "codex"] {
        let folder = machine.home().join(format!("runtimes/{name}-{}", pin[name].as_str().unwrap()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(".complete"), "").unwrap();
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[sqlx::test(migrations = false)]
async fn an_untouched_machine_hears_what_to_do_first(pool: PgPool) {
    let machine = Machine::new(&pool);
    let ran = machine.run(&["doctor"]);
    let found = wrong(&ran);
    for expected in ["the data directory does not exist", "openclaw", "codex", "the database is empty"] {
        assert!(found.iter().any(|line| line.contains(expected)), "{expected}: {found:?}");
    }
    assert!(ran.out.contains("run `occ init`") && ran.out.contains("runtimes/install.sh"), "{ran:?}");
    assert!(!machine.data().exists(), "looking makes nothing");
}

#[sqlx::test(migrations = false)]
async fn a_machine_in_order_has_nothing_wrong_with_and_without_a_server(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    assert_eq!(doctor(&machine), Vec::<String>::new());
    let serving = machine.serve();
    let ran = machine.run(&["doctor"]);
    assert_eq!(wrong(&ran), Vec::<String>::new());
    assert!(ran.out.contains("`occ serve` answers at"), "{ran:?}");
    drop(serving);
}

#[sqlx::test(migrations = false)]
async fn troubles_of_files_are_named(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    let data = machine.data().to_owned();
    chmod(&data, 0o777);
    chmod(&data.join("service-key"), 0o644);
    let found = doctor(&machine);
    assert!(found[0].contains("is open to others (mode 777)"), "{found:?}");
    assert!(found[1].contains("service-key is open to others (mode 644)"), "{found:?}");
    chmod(&data, 0o755);
    chmod(&data.join("service-key"), 0o600);
    // A runtime whose installation was interrupted.
    let codex = std::fs::read_dir(machine.home().join("runtimes")).unwrap().map(|entry| entry.unwrap().path());
    let codex = codex.into_iter().find(|path| path.to_string_lossy().contains("codex")).unwrap();
    std::fs::remove_file(codex.join(".complete")).unwrap();
    let ran = machine.run(&["doctor"]);
    assert!(wrong(&ran)[0].contains("codex") && ran.out.contains("half installed"), "{ran:?}");
    std::fs::write(codex.join(".complete"), "").unwrap();
    std::fs::rename(data.join("keys"), data.join("lost")).unwrap();
    let ran = machine.run(&["doctor"]);
    assert!(wrong(&ran)[0].contains("key ring") && ran.out.contains("restore the folder from your backup"), "{ran:?}");
    assert!(!data.join("keys").exists());
    std::fs::rename(data.join("lost"), data.join("keys")).unwrap();
    std::fs::write(data.join("installation-id"), "ins_of_somebody_else").unwrap();
    assert!(doctor(&machine)[0].contains("another Installation"));
}

#[sqlx::test(migrations = false)]
async fn troubles_of_the_database_are_named_without_its_password(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = machine.occ(["doctor"]);
    command.env("OCC_DATABASE_URL", format!("postgres://occ:hunter2@127.0.0.1:{nobody}/occ"));
    let ran = ended(command);
    assert!(wrong(&ran)[0].contains("nothing listens at its address"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("hunter2"));
    let mut command = machine.occ(["doctor"]);
    let database = pool.connect_options().get_database().unwrap().to_owned();
    command.env("OCC_DATABASE_URL", machine.database.replace(&database, "no_such_database"));
    assert!(wrong(&ended(command))[0].contains("no such database"));

    sqlx::query("DELETE FROM _sqlx_migrations WHERE version > 1").execute(&pool).await.unwrap();
    let ran = machine.run(&["doctor"]);
    assert!(wrong(&ran)[0].contains("migrations are missing") && ran.out.contains("occ migrate"), "{ran:?}");
    sqlx::query("UPDATE _sqlx_migrations SET success = false").execute(&pool).await.unwrap();
    assert!(doctor(&machine)[0].contains("did not finish"));
    sqlx::query("UPDATE _sqlx_migrations SET success = true, version = 9999").execute(&pool).await.unwrap();
    assert!(doctor(&machine)[0].contains("newer occ"));
}

#[sqlx::test(migrations = false)]
async fn work_that_nobody_does_and_a_foreign_server_are_named(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    let put = "INSERT INTO work (id, kind, key, state, actor_kind, actor_id, actor_name, run_after, lease_until)
               VALUES (gen_random_uuid(), 'agent_stop', $1, $2, 'principal', gen_random_uuid(), 'x', now() - interval '5 minutes', $3)";
    sqlx::query(put).bind("a").bind("queued").bind(None::<time::OffsetDateTime>).execute(&pool).await.unwrap();
    let long_ago = time::OffsetDateTime::now_utc() - time::Duration::minutes(5);
    sqlx::query(put).bind("b").bind("running").bind(Some(long_ago)).execute(&pool).await.unwrap();
    let _taken = TcpListener::bind(("127.0.0.1", machine.port)).unwrap();
    let found = doctor(&machine);
    assert!(found[0].contains("1 work items are due") && found[0].contains("no controller"), "{found:?}");
    assert!(found[1].contains("lost its lease"), "{found:?}");
    assert!(found[2].contains("the port is in use"), "{found:?}");
}

#[sqlx::test(migrations = false)]
async fn a_supervisor_without_its_agent_is_named_with_its_process(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    let agent = format!("agt_{}", uuid::Uuid::now_v7().simple());
    let sockets = machine.data().join("run").join(&agent);
    std::fs::create_dir_all(&sockets).unwrap();
    let words = ["-c", "read line", "runtime", "agent", "--agent", &agent];
    let mut child = Command::new("sh").args(words).stdin(Stdio::piped()).spawn().unwrap();
    std::fs::write(sockets.join("lock"), format!("{}\n", child.id())).unwrap();
    let ran = machine.run(&["doctor"]);
    let pid = child.id();
    drop(child.stdin.take());
    child.wait().unwrap();
    let found = wrong(&ran);
    assert!(found[0].contains(&agent) && found[0].contains(&format!("process {pid}")), "{found:?}");
    assert!(ran.out.contains(&format!("`kill {pid}`")), "{ran:?}");
    assert_eq!(doctor(&machine), Vec::<String>::new());
}

#[sqlx::test(migrations = false)]
async fn a_data_directory_that_is_not_the_installations_is_named(pool: PgPool) {
    let machine = Machine::new(&pool);
    install_runtimes(&machine);
    machine.init();
    drop(machine.serve());
    assert_eq!(doctor(&machine), Vec::<String>::new());
    std::fs::write(machine.data().join("host-id"), "another\n").unwrap();
    let found = doctor(&machine);
    assert!(found.len() == 1 && found[0].contains("live in another data directory"), "{found:?}");
}
