//! The database: reachable, new enough, migrated, with a clock that agrees with ours, and with our Installation.

use std::io::ErrorKind;

use occ_model::id::InstallationId;
use occ_postgres::{Embedded, Status};
use occ_store::inspect::{self, MIN_VERSION, Schema, Unreachable};
use occ_store::{Store, installation};
use sqlx::postgres::PgConnectOptions;
use time::OffsetDateTime;

use super::report::{Report, causes};
use crate::config::Config;
use crate::wiring::{self, DatabaseUrls};

/// A difference of clocks that is no trouble yet, seconds.
const CLOCKS: i64 = 5;

/// A database with an Installation.
pub struct Found {
    /// The owner's connection.
    pub store: Store,
    /// Which Installation.
    pub installation: InstallationId,
}

/// Looks at it. `None`: there is nothing more to look at.
pub async fn look(config: &Config, report: &mut Report) -> Option<Found> {
    let urls = urls(config, report).await?;
    if urls.owner == urls.app {
        report.note(
            "the same database role owns the tables and serves",
            "give migrations and init a role of their own with OCC_DATABASE_OWNER_URL; then what serves can change no table",
        );
    } else {
        connect(&urls.app, "database.url", report).await?;
    }
    let store = connect(&urls.owner, "database.owner_url", report).await?;
    let looked = async {
        let server = inspect::server(&mut store.read().await?).await?;
        let skew = (server.clock - OffsetDateTime::now_utc()).whole_seconds();
        let schema = inspect::schema(&store).await?;
        Ok::<_, occ_store::StoreError>((server, skew, schema))
    };
    let (server, skew, schema) = match looked.await {
        Ok(looked) => looked,
        Err(error) => {
            report.wrong_at(format!("the database fails: {}", causes(&error)), "look at the database's own log");
            return None;
        }
    };
    let (major, minor) = (server.version / 10_000, server.version % 10_000);
    if server.version < MIN_VERSION {
        let next = format!("move it to PostgreSQL {} or newer", MIN_VERSION / 10_000);
        report.wrong_at(format!("the database is PostgreSQL {major}.{minor}"), next);
    } else {
        report.fine(format!("the database answers (PostgreSQL {major}.{minor})"));
    }
    clocks(skew, report);
    if migrated(&schema, report) { own_installation(config, store, report).await } else { None }
}

/// Both ways in, once the embedded server runs where there is one.
async fn urls(config: &Config, report: &mut Report) -> Option<DatabaseUrls> {
    if config.database.url.is_none() {
        let embedded = wiring::postgres(config);
        let status = if embedded.dir.is_dir() { Embedded::status(&embedded).await } else { Ok(Status::Absent) };
        match status {
            Ok(Status::Absent) => {
                report.wrong_at("there is no database yet", "run `occ init` (or `make up`), which makes it");
                return None;
            }
            Ok(Status::Stopped) => report.note("the embedded PostgreSQL was stopped", "nothing: it is started now"),
            Ok(Status::Running(_)) | Err(_) => {}
        }
    }
    match wiring::database(config).await {
        Ok(urls) => Some(urls),
        Err(error) => {
            let log = config.data_dir().join("postgres/postgres.log");
            let next = format!("do what the message says; its log is {}", log.display());
            report.wrong_at(causes(error.as_ref()), next);
            None
        }
    }
}

async fn connect(url: &str, key: &str, report: &mut Report) -> Option<Store> {
    let Ok(options) = url.parse::<PgConnectOptions>() else {
        report.wrong_at(format!("{key} cannot be read"), "write it as postgres://user@host:port/database");
        return None;
    };
    if let Err(why) = inspect::reach(&options).await {
        // Without the URL: it may hold a password.
        let at = format!("{}:{}", options.get_host(), options.get_port());
        report.wrong_at(format!("the database at {at} ({key}) cannot be used: {why}"), next_step(why));
        return None;
    }
    Store::connect(options, 2).await.ok()
}

fn next_step(why: Unreachable) -> &'static str {
    match why {
        Unreachable::Refused => "start PostgreSQL there, or correct host and port of the URL",
        Unreachable::NoWay => "correct the host of the URL, or open the way to it",
        Unreachable::Silent => "look whether a firewall stands between, and whether the server is overloaded",
        Unreachable::Credentials => "correct user and password of the URL, or the server's pg_hba.conf",
        Unreachable::NoDatabase => "create the database (CREATE DATABASE …), or correct its name in the URL",
        Unreachable::Busy => "try again in a moment; if it stays, raise max_connections or lower database.connections",
        Unreachable::Tls => "look at the server's certificate and at sslmode in the URL",
        Unreachable::Other => "look at the server's own log",
    }
}

fn clocks(skew: i64, report: &mut Report) {
    if skew.abs() > CLOCKS {
        report.wrong_at(
            format!("this machine's clock and the database's differ by {} s", skew.abs()),
            "let both follow NTP (timedatectl set-ntp true): leases and sessions go by the database's clock, logs by this one's",
        );
    } else {
        report.fine("this machine's clock and the database's agree");
    }
}

fn migrated(schema: &Schema, report: &mut Report) -> bool {
    let (what, next) = match schema {
        Schema::Current => {
            report.fine("the database's schema is that of this version");
            return true;
        }
        Schema::Absent => ("the database is empty".to_owned(), "run `occ init`"),
        Schema::Behind(missing) => (format!("{missing} migrations are missing"), "run `occ migrate`"),
        Schema::Ahead => (
            "the database was migrated by a newer occ than this one".to_owned(),
            "run that newer version; going back needs a backup of before",
        ),
        Schema::Unfinished(version) => (
            format!("the migration {version} began and did not finish"),
            "restore the backup of before, or look at what it did by hand; then run `occ migrate`",
        ),
        Schema::Different(version) => (
            format!("the migration {version} ran in another form than this occ has it"),
            "run the occ that made this database: this one is of another line",
        ),
    };
    report.wrong_at(what, next);
    false
}

async fn own_installation(config: &Config, store: Store, report: &mut Report) -> Option<Found> {
    let row = async { installation::find(&mut store.read().await?).await };
    let installation = match row.await {
        Ok(Some(row)) => row.id,
        Ok(None) => {
            report.wrong_at("there is no Installation in this database yet", "run `occ init`");
            return None;
        }
        Err(error) => {
            report.wrong_at(format!("the database fails: {}", causes(&error)), "look at the database's own log");
            return None;
        }
    };
    match std::fs::read_to_string(config.data_dir().join("installation-id")) {
        Ok(text) if text.trim() != installation.to_string() => report.wrong_at(
            "the data directory belongs to another Installation than the database",
            "point occ at the database or the data directory that belong together; nothing of either was touched",
        ),
        Err(error) if error.kind() != ErrorKind::NotFound => report.wrong_at(
            format!("the data directory's installation-id cannot be read: {error}"),
            "correct its permissions",
        ),
        _ => report.fine(format!("the Installation is {installation}")),
    }
    Some(Found { store, installation })
}
