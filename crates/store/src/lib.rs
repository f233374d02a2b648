//! What is true: all SQL, one file per resource, and [`Tx`].
//!
//! Invariants kept here: a mutation commits only with its audit event and under the policy epoch it was decided under (I3, I5);
//! finders take the tenant first (I6); lists are filtered by the caller's grants in SQL before pagination (I16); an answer to
//! COMMIT that got lost is its own error (I17).

pub mod access;
pub mod actor;
pub mod agent;
pub mod agent_state;
pub mod audit;
pub mod audit_view;
pub mod binding;
pub mod configuration;
pub mod connection;
pub mod deployment;
pub mod error;
pub mod events;
pub mod gauges;
mod housekeeping;
pub mod idempotency;
pub mod inspect;
pub mod installation;
pub mod list;
pub mod local_host;
mod meta;
pub mod named;
pub mod namespace;
pub mod outbox;
pub mod policy;
pub mod principal;
pub mod rate_limit;
pub mod reference;
pub mod revision;
pub mod role;
pub mod secret;
pub mod secret_consumer;
pub mod secret_version;
pub mod service_key;
pub mod service_principal;
pub mod session;
pub mod signin_link;
pub mod tx;
pub mod work_view;

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgPool};

pub use connection::{Conn, Read};
pub use error::{Result, StoreError};
pub use meta::Texts;
pub use named::Named;
pub use tx::{Audited, Mutation, Observation, Tx};

/// Migrations of this version, embedded.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// What a connection that serves waits for at most: a statement, a lock, and its own next statement within a transaction. So nothing
/// that hangs holds up all behind it, and no connection is lost to it.
const BOUNDS: [(&str, &str); 3] =
    [("statement_timeout", "15s"), ("lock_timeout", "5s"), ("idle_in_transaction_session_timeout", "30s")];

/// Connections of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUse {
    /// As many as there may be.
    pub most: u32,
    /// Open ones.
    pub open: u32,
    /// Open ones that nobody uses.
    pub idle: u32,
}

/// The pool of the application role.
#[derive(Clone, Debug)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    /// Connects with at most `connections` connections; a connection is waited for at most 5 s, a lock as long, a statement 15 s.
    pub async fn connect(options: PgConnectOptions, connections: u32) -> Result<Self> {
        Self::connect_unbounded(options.options(BOUNDS), connections).await
    }

    /// The same for the owner, whose migrations take the time they take: statements and locks are waited for without a bound.
    pub async fn connect_unbounded(options: PgConnectOptions, connections: u32) -> Result<Self> {
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(5))
            .connect_with(options)
            .await?;
        Ok(Self { pool })
    }

    /// Over a pool that is there (tests).
    pub fn from_pool(pool: PgPool) -> Self {
        Self { pool }
    }

    /// How much of the pool is in use.
    pub fn pool_use(&self) -> PoolUse {
        let idle = u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX);
        PoolUse { most: self.pool.options().get_max_connections(), open: self.pool.size(), idle }
    }

    /// The pool, for the listener and for tests.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// A connection to read with.
    pub async fn read(&self) -> Result<Read> {
        Ok(Read::new(self.pool.acquire().await?))
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        self.pool.acquire().await?.ping().await?;
        Ok(())
    }
}
