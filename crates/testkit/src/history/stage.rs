//! A database with a journal, and the people of the histories that are played in it one after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use occ_model::identity::Actor;
use sqlx::PgPool;

use crate::TestControl;
use crate::check::journal;

/// One database.
pub struct Stage {
    /// The doors: what people ask is asked here.
    pub t: TestControl,
    /// Deploys and operates.
    pub ada: Actor,
    /// The same.
    pub ben: Actor,
    /// Talks to Agents.
    pub eve: Actor,
    next: AtomicU64,
}

impl Stage {
    /// Over a database that has the migrations and nothing else.
    pub async fn new(pool: PgPool) -> Result<Self> {
        journal::begin(&pool).await?;
        let t = TestControl::new(pool).await?;
        let (ada, ben, eve) = (t.person("Ada").await?, t.person("Ben").await?, t.person("Eve").await?);
        Ok(Self { t, ada, ben, eve, next: AtomicU64::new(1) })
    }

    /// A number that was not used here before.
    pub fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}
