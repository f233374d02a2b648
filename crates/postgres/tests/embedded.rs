//! The launcher against the real PostgreSQL of this machine. Nothing here may panic quietly: a failing step fails the
//! test by `unwrap`, and every server that a test starts is stopped by its guard.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use occ_postgres::{Config, ConnectInfo, Embedded, Error, Isolation, Profile, Status};
use sqlx::{Connection, PgConnection};

/// A directory with a server in it that ends with the test.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::Builder::new().prefix("occ-pg").tempdir().unwrap() }
    }

    fn config(&self, profile: Profile) -> Config {
        let mut config = Config::new(self.dir.path().join("pg"));
        config.profile = profile;
        config
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let stopped = testdb("stop", &self.dir.path().join("pg")).status().unwrap();
        assert!(stopped.success() || std::thread::panicking());
    }
}

fn testdb(verb: &str, dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_occ-testdb"));
    command.arg(verb).arg(dir);
    command
}

/// A process of its own that started the server and stays.
fn starter(dir: &Path) -> Child {
    let mut child = testdb("hold", dir).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("export DATABASE_URL='postgres:///occ_test?"), "{line}");
    child
}

async fn ask(url: &str, sql: &'static str) -> Result<String, sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    let answer = sqlx::query_scalar(sql).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(answer)
}

async fn running(config: &Config) -> ConnectInfo {
    match Embedded::status(config).await.unwrap() {
        Status::Running(info) => info,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn started_at_once_by_several_it_is_one_server() {
    let home = Home::new();
    let dir = home.dir.path().join("pg");
    let mut others: Vec<Child> = (0..3).map(|_| testdb("start", &dir).stdout(Stdio::null()).spawn().unwrap()).collect();
    let info = Embedded::ensure(&home.config(Profile::Test)).await.unwrap();
    for other in &mut others {
        assert!(other.wait().unwrap().success());
    }
    assert_eq!(running(&home.config(Profile::Test)).await, info);
    assert_eq!(Embedded::ensure(&home.config(Profile::Test)).await.unwrap(), info);
}

#[tokio::test]
async fn it_outlives_the_process_that_started_it() {
    let home = Home::new();
    let mut starter = starter(&home.dir.path().join("pg"));
    let info = running(&home.config(Profile::Test)).await;
    starter.kill().unwrap(); // SIGKILL
    starter.wait().unwrap();
    assert_eq!(ask(&info.test_url(), "select current_user::text").await.unwrap(), "occ_test");
    assert_eq!(running(&home.config(Profile::Test)).await.pid, info.pid);
    // A session of its own, so closing the starter's terminal does not reach it either.
    let pid = rustix::process::Pid::from_raw(info.pid);
    assert_eq!(rustix::process::getsid(pid).unwrap(), pid.unwrap());
}

#[tokio::test]
async fn stop_and_start_keep_the_data_and_status_tells_which() {
    let home = Home::new();
    let config = home.config(Profile::Durable);
    assert_eq!(Embedded::status(&config).await.unwrap(), Status::Absent);
    assert!(!Embedded::stop(&config).await.unwrap());

    let first = Embedded::ensure(&config).await.unwrap();
    assert_eq!(ask(&first.owner_url(), "select current_setting('fsync')").await.unwrap(), "on");
    let mut owner = PgConnection::connect(&first.owner_url()).await.unwrap();
    sqlx::raw_sql("create table kept (what text); insert into kept values ('this')").execute(&mut owner).await.unwrap();

    assert!(Embedded::stop(&config).await.unwrap());
    assert_eq!(Embedded::status(&config).await.unwrap(), Status::Stopped);
    let second = Embedded::ensure(&config).await.unwrap();
    assert_ne!(second.pid, first.pid);
    assert_eq!(ask(&second.owner_url(), "select what from kept").await.unwrap(), "this");
}

#[tokio::test]
async fn the_application_role_owns_nothing_and_sees_no_table_it_was_not_granted() {
    let home = Home::new();
    let info = Embedded::ensure(&home.config(Profile::Durable)).await.unwrap();
    let mut owner = PgConnection::connect(&info.owner_url()).await.unwrap();
    sqlx::raw_sql("create table private (n text)").execute(&mut owner).await.unwrap();
    assert_eq!(ask(&info.app_url(), "select current_user::text").await.unwrap(), "occ_app");
    for refused in ["select n from private", "create table mine (n text)", "create role another", "set role occ_owner"]
    {
        let mut app = PgConnection::connect(&info.app_url()).await.unwrap();
        let error = sqlx::raw_sql(refused).execute(&mut app).await.unwrap_err();
        assert_eq!(error.as_database_error().unwrap().code().unwrap(), "42501", "{refused}");
    }
    // The test role is for tests.
    assert!(ask(&info.test_url(), "select 'in'").await.is_err());
}

#[tokio::test]
async fn nobody_else_can_reach_the_socket_and_there_is_no_port() {
    let home = Home::new();
    let info = Embedded::ensure(&home.config(Profile::Durable)).await.unwrap();
    assert_eq!(std::fs::metadata(&info.socket_dir).unwrap().mode() & 0o777, 0o700);
    assert_eq!(ask(&info.app_url(), "select current_setting('listen_addresses')").await.unwrap(), "");
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Even with the directory open, peer authentication knows who knocks.
    for dir in [home.dir.path(), &home.dir.path().join("pg"), &info.socket_dir] {
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let socket = info.socket_dir.join(".s.PGSQL.5432");
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o777)).unwrap();
    let out = Command::new("psql")
        .args(["-h", info.socket_dir.to_str().unwrap(), "-U", "occ_app", "-d", "occ", "-Atc", "select 1"])
        .uid(65_534)
        .gid(65_534)
        .current_dir("/")
        .output();
    // Without psql on this machine the directory's mode is the whole check.
    if let Ok(out) = out {
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.to_lowercase().contains("peer"), "{said}");
    }
}

#[tokio::test]
async fn a_stale_or_damaged_pid_file_is_no_obstacle() {
    let home = Home::new();
    let config = home.config(Profile::Test);
    let data = home.dir.path().join("pg/data");
    Embedded::ensure(&config).await.unwrap();
    // A dead number, the number of a live program that is no server, garbage, nothing.
    let mine = format!("{}\n/somewhere\n", std::process::id());
    for left in ["999999\n/x\n", mine.as_str(), "\u{0}\u{1}garbage", ""] {
        Embedded::stop(&config).await.unwrap();
        std::fs::write(data.join("postmaster.pid"), left).unwrap();
        assert_eq!(Embedded::status(&config).await.unwrap(), Status::Stopped, "{left:?}");
        let info = Embedded::ensure(&config).await.unwrap();
        assert_eq!(running(&config).await, info, "{left:?}");
    }
}

#[tokio::test]
async fn a_killed_server_is_started_again_with_everything_committed() {
    let home = Home::new();
    let config = home.config(Profile::Durable);
    let info = Embedded::ensure(&config).await.unwrap();
    let mut owner = PgConnection::connect(&info.owner_url()).await.unwrap();
    sqlx::raw_sql("create table kept (what text); insert into kept values ('this')").execute(&mut owner).await.unwrap();
    let pid = rustix::process::Pid::from_raw(info.pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let again = Embedded::ensure(&config).await.unwrap();
    assert_ne!(again.pid, info.pid);
    assert_eq!(ask(&again.owner_url(), "select what from kept").await.unwrap(), "this");
}

#[tokio::test]
async fn a_process_at_work_in_the_data_is_never_started_over() {
    let home = Home::new();
    let config = home.config(Profile::Test);
    let data = home.dir.path().join("pg/data");
    Embedded::ensure(&config).await.unwrap();
    Embedded::stop(&config).await.unwrap();
    std::fs::write(data.join("postmaster.pid"), "garbage").unwrap();
    // What a backend looks like whose postmaster was killed, and one that does not look like it.
    let program = home.dir.path().join("postgres");
    std::fs::copy("/bin/sleep", &program).unwrap();
    let mut passer_by = Command::new("sleep").arg("600").current_dir(&data).spawn().unwrap();
    let mut squatter = Command::new(program).arg("600").current_dir(&data).spawn().unwrap();
    let refused = Embedded::ensure(&config).await;
    for child in [&mut squatter, &mut passer_by] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let Err(Error::Occupied { pids, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(pids, squatter.id().to_string());
    assert!(data.join("postmaster.pid").exists());
}

#[tokio::test]
async fn data_of_another_version_are_refused_and_left_alone() {
    let home = Home::new();
    let config = home.config(Profile::Test);
    Embedded::ensure(&config).await.unwrap();
    Embedded::stop(&config).await.unwrap();
    let version = home.dir.path().join("pg/data/PG_VERSION");
    std::fs::write(&version, "9999\n").unwrap();
    let refused = Embedded::ensure(&config).await.unwrap_err();
    assert!(matches!(&refused, Error::OtherMajor { found, .. } if found == "9999"), "{refused}");
    assert_eq!(std::fs::read_to_string(version).unwrap(), "9999\n");
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let home = Home::new();
    let config = home.config(Profile::Test);
    Embedded::ensure(&config).await.unwrap();
    Embedded::stop(&config).await.unwrap();
    let conf = home.dir.path().join("pg/data/postgresql.conf");
    std::fs::write(conf, "shared_preload_libraries = 'no_such_library'\n").unwrap();
    let error = Embedded::ensure(&config).await.unwrap_err();
    assert!(error.to_string().contains("no_such_library"), "{error}");
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_gets_a_short_one() {
    let home = Home::new();
    let mut config = home.config(Profile::Test);
    config.dir = home.dir.path().join("d".repeat(90)).join("pg");
    let info = Embedded::ensure(&config).await.unwrap();
    assert!(info.socket_dir.as_os_str().len() < 60, "{}", info.socket_dir.display());
    assert_eq!(ask(&info.test_url(), "select 'in'").await.unwrap(), "in");
    assert_eq!(running(&config).await, info);
    Embedded::stop(&config).await.unwrap();
    std::fs::remove_dir_all(info.socket_dir).unwrap();
}

#[tokio::test]
async fn a_full_disk_is_named_before_anything_is_made() {
    if !rustix::process::geteuid().is_root() {
        return; // needs a mount
    }
    let home = Home::new();
    let dir = home.dir.path().join("small");
    std::fs::create_dir(&dir).unwrap();
    let script = "mount -t tmpfs -o size=20m none \"$1\" && exec \"$2\" start \"$1/pg\"";
    let out = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .arg(&dir)
        .arg(env!("CARGO_BIN_EXE_occ-testdb"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("MiB free"), "{said}");
}

#[tokio::test]
async fn where_namespaces_are_refused_root_uses_another_user() {
    if !rustix::process::geteuid().is_root() {
        return; // no other user to become
    }
    let home = Home::new();
    std::fs::set_permissions(home.dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = home.config(Profile::Durable);
    config.isolation = Isolation::SystemUser;
    config.system_root = home.dir.path().join("var");
    let info = Embedded::ensure(&config).await.unwrap();
    let owner = std::fs::metadata(format!("/proc/{}", info.pid)).unwrap().uid();
    assert_ne!(owner, 0);
    assert_eq!(ask(&info.app_url(), "select current_user::text").await.unwrap(), "occ_app");
    // Found again there, whatever the machine would grant today.
    config.isolation = Isolation::Auto;
    assert_eq!(running(&config).await, info);
    assert!(Embedded::stop(&config).await.unwrap());
}
