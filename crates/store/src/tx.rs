//! Transactions whose type says what they may do.
//!
//! [`Tx<Mutation>`] writes resources; it cannot commit. Writing its audit event turns it into [`Tx<Audited>`], which can (I3).
//! Its last statement reads the policy epoch `FOR SHARE` and compares it with the one the decisions were made under: a moved
//! epoch rolls back and is [`StoreError::PolicyMoved`] (I5). [`Tx<Observation>`] may write only what its functions take: leases,
//! steps, attempts, health, last use, sessions; it needs no audit event and bumps no generation.

use std::marker::PhantomData;
use std::time::Duration;

use occ_model::id::RequestId;
use occ_model::identity::Actor;
use sqlx::postgres::Postgres;
use sqlx::{PgConnection, PgPool, Transaction};

use crate::connection::Conn;
use crate::error::{Result, StoreError};
use crate::{Store, audit, policy};

/// May change resources; must be audited to commit.
#[derive(Debug)]
pub struct Mutation;
/// Has its audit event; may commit.
#[derive(Debug)]
pub struct Audited;
/// Writes what was observed; needs no audit event.
#[derive(Debug)]
pub struct Observation;

/// Who does it, in which request, decided under which policy epoch.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The actor.
    pub actor: Actor,
    /// The request, if one asked.
    pub request: Option<RequestId>,
    /// Policy epoch of the decisions; `None` for what needs none (bootstrap by the database's owner).
    pub epoch: Option<i64>,
}

/// An open transaction. Dropped = rolled back.
#[derive(Debug)]
pub struct Tx<K> {
    open: Transaction<'static, Postgres>,
    pool: PgPool,
    origin: Option<Origin>,
    kind: PhantomData<K>,
}

impl Store {
    /// Begins a mutation.
    pub async fn mutate(&self, origin: Origin) -> Result<Tx<Mutation>> {
        Ok(Tx { open: self.begin().await?, pool: self.pool().clone(), origin: Some(origin), kind: PhantomData })
    }

    /// Begins in a task of its own, which ends whatever becomes of the caller: of a BEGIN whose answer nobody waits for any more, sqlx
    /// (0.9.0) gives the connection back to the pool with the transaction open, and what others then write there is never committed.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>> {
        let pool = self.pool().clone();
        let begun = tokio::spawn(async move { pool.begin().await }).await;
        Ok(begun.unwrap_or(Err(sqlx::Error::WorkerCrashed))?)
    }

    /// Begins an observation.
    pub async fn observe(&self) -> Result<Tx<Observation>> {
        Ok(Tx { open: self.begin().await?, pool: self.pool().clone(), origin: None, kind: PhantomData })
    }
}

impl<K: Send> Conn for Tx<K> {
    fn conn(&mut self) -> &mut PgConnection {
        &mut self.open
    }
}

impl Tx<Mutation> {
    /// Who does it.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Names the actor once the transaction itself found out who it is (signing in).
    pub fn act_as(&mut self, actor: Actor) {
        if let Some(origin) = &mut self.origin {
            origin.actor = actor;
        }
    }

    /// Writes the audit event of this mutation; from now on it can commit.
    pub async fn audit(mut self, entry: audit::Entry) -> Result<Tx<Audited>> {
        if let Some(origin) = self.origin.clone() {
            audit::insert(&mut self.open, &origin, &entry).await?;
        }
        Ok(Tx { open: self.open, pool: self.pool, origin: self.origin, kind: PhantomData })
    }

    /// Holds the policy as it was decided under until this commits; moved is [`StoreError::PolicyMoved`] already here.
    pub async fn hold_policy(&mut self) -> Result<()> {
        hold_policy(&mut self.open, self.origin.as_ref()).await
    }

    /// Moves the policy epoch: bindings, roles, groups, restrictions and principal state do, nothing else does.
    pub async fn bump_policy(&mut self) -> Result<()> {
        let decided = self.origin.as_ref().and_then(|o| o.epoch);
        let epoch = policy::bump(&mut self.open, decided).await?;
        if let Some(origin) = &mut self.origin {
            origin.epoch = Some(epoch);
        }
        Ok(())
    }
}

impl Tx<Audited> {
    /// Writes a further audit event (a mutation that touches two resources).
    pub async fn also_audit(&mut self, entry: audit::Entry) -> Result<()> {
        if let Some(origin) = self.origin.clone() {
            audit::insert(&mut self.open, &origin, &entry).await?;
        }
        Ok(())
    }

    /// Commits under the policy epoch of the decisions.
    pub async fn commit(mut self) -> Result<()> {
        hold_policy(&mut self.open, self.origin.as_ref()).await?;
        commit(self.open, &self.pool).await
    }
}

impl Tx<Observation> {
    /// Takes its time: what it removes may be much.
    pub(crate) async fn unhurried(&mut self) -> Result<()> {
        sqlx::query("SET LOCAL statement_timeout = '10min'").execute(self.conn()).await?;
        Ok(())
    }

    /// Commits.
    pub async fn commit(self) -> Result<()> {
        commit(self.open, &self.pool).await
    }
}

/// Holds the policy as it was decided under; a moved one is refused.
async fn hold_policy(open: &mut PgConnection, origin: Option<&Origin>) -> Result<()> {
    if let Some(decided) = origin.and_then(|o| o.epoch)
        && policy::hold(open).await? != decided
    {
        return Err(StoreError::PolicyMoved);
    }
    Ok(())
}

/// How long a lost answer to COMMIT is asked after.
const ASK_FOR: Duration = Duration::from_secs(2);

async fn commit(mut tx: Transaction<'static, Postgres>, pool: &PgPool) -> Result<()> {
    let xid: Option<String> =
        sqlx::query_scalar("SELECT pg_current_xact_id_if_assigned()::text").fetch_one(&mut *tx).await?;
    match tx.commit().await.map_err(StoreError::from) {
        Ok(()) => Ok(()),
        Err(StoreError::Unavailable(error)) => match xid {
            Some(xid) => outcome(&xid, pool).await,
            None => Err(StoreError::Unavailable(error)),
        },
        Err(error) => Err(error),
    }
}

/// Asks on a new connection what became of a transaction whose COMMIT got no answer.
async fn outcome(xid: &str, pool: &PgPool) -> Result<()> {
    let ask = async {
        let mut pause = tokio::time::interval(Duration::from_millis(50));
        loop {
            pause.tick().await;
            let status: std::result::Result<Option<String>, _> =
                sqlx::query_scalar("SELECT pg_xact_status($1::xid8)").bind(xid).fetch_one(pool).await;
            match status.ok().flatten().as_deref() {
                Some("committed") => return Ok(()),
                Some("aborted") => return Err(StoreError::Unavailable(sqlx::Error::WorkerCrashed)),
                _ => {}
            }
        }
    };
    tokio::time::timeout(ASK_FOR, ask).await.unwrap_or(Err(StoreError::UnknownOutcome))
}
