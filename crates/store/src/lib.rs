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

/// The pool of the application role.
#[derive(Clone, Debug)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    /// Connects with at most `connections` connections; a connection is waited for at most 5 s.
    pub async fn connect(options: PgConnectOptions, connections: u32) -> Result<Self> {
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
