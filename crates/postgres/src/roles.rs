//! Roles and the database of a fresh server; nothing to do on a set-up one.
//!
//! Invariant: the application's role owns nothing and may only connect; what it may do with a table is granted by the
//! migrations of the owner.

use sqlx::{Connection, PgConnection};

use crate::connect::ConnectInfo;
use crate::{APP_ROLE, DATABASE, Error, OWNER_ROLE, Profile, SUPERUSER, TEST_ROLE};

/// Under the lock, since "look, then create" is no atomic step.
pub(crate) async fn ensure(info: &ConnectInfo, profile: Profile) -> Result<(), Error> {
    let mut server = PgConnection::connect_with(&info.superuser(SUPERUSER)).await.map_err(Error::sql("connect"))?;
    role(&mut server, OWNER_ROLE, "create role occ_owner login nosuperuser nocreatedb nocreaterole noinherit").await?;
    role(&mut server, APP_ROLE, "create role occ_app login nosuperuser nocreatedb nocreaterole noinherit").await?;
    let made = database(&mut server, DATABASE, "create database occ owner occ_owner").await?;
    if profile == Profile::Test {
        role(&mut server, TEST_ROLE, "create role occ_test login nosuperuser createdb createrole").await?;
        database(&mut server, TEST_ROLE, "create database occ_test owner occ_test").await?;
    }
    // The database's own grants are idempotent, and a crash between the steps must not lose them.
    run(
        &mut server,
        "grant on the database",
        "revoke all on database occ from public; grant connect on database occ to occ_app",
    )
    .await?;
    server.close().await.map_err(Error::sql("close the connection"))?;

    let mut inside = PgConnection::connect_with(&info.superuser(DATABASE)).await.map_err(Error::sql("connect"))?;
    run(
        &mut inside,
        "grant on the schema",
        "alter schema public owner to occ_owner; revoke all on schema public from public; grant usage on schema public to occ_app",
    )
    .await?;
    inside.close().await.map_err(Error::sql("close the connection"))?;
    if made {
        tracing::info!(database = DATABASE, "made the database and its roles");
    }
    Ok(())
}

async fn role(server: &mut PgConnection, name: &str, create: &'static str) -> Result<(), Error> {
    let there: bool = sqlx::query_scalar("select exists (select from pg_roles where rolname = $1)")
        .bind(name)
        .fetch_one(&mut *server)
        .await
        .map_err(Error::sql("look for a role"))?;
    if there { Ok(()) } else { run(server, "make a role", create).await }
}

async fn database(server: &mut PgConnection, name: &str, create: &'static str) -> Result<bool, Error> {
    let there: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(name)
        .fetch_one(&mut *server)
        .await
        .map_err(Error::sql("look for the database"))?;
    if !there {
        run(server, "make the database", create).await?;
    }
    Ok(!there)
}

async fn run(server: &mut PgConnection, what: &'static str, sql: &'static str) -> Result<(), Error> {
    sqlx::raw_sql(sql).execute(server).await.map(drop).map_err(Error::sql(what))
}
