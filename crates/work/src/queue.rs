//! Putting work into the queue, in the transaction of what makes it necessary (I3).

use std::time::Duration;

use occ_model::id::{AgentId, DeploymentId, NamespaceId, RequestId, RevisionId, TypedId, WorkId};
use occ_model::identity::Actor;
use occ_model::work::WorkKind;
use occ_store::{Conn, Tx};
use uuid::Uuid;

use crate::error::Result;
use crate::trace;

/// One item to be queued: ids only, no payload that decides what to do.
#[derive(Clone, Debug)]
pub struct NewWork {
    /// What is to be done.
    pub kind: WorkKind,
    /// Unique among unfinished items: asking twice is asking once.
    pub key: String,
    /// In which Namespace.
    pub namespace: Option<NamespaceId>,
    /// For which Agent.
    pub agent: Option<AgentId>,
    /// About which revision.
    pub revision: Option<RevisionId>,
    /// About which deployment.
    pub deployment: Option<DeploymentId>,
    /// On whose behalf: reauthorized before the first effect (I5).
    pub actor: Actor,
    /// The request that asked.
    pub request: Option<RequestId>,
    /// Only controllers of this host take it; `None`: any.
    pub host: Option<String>,
    /// Not before so long from now.
    pub run_after: Duration,
    /// Given up so long from now.
    pub deadline: Option<Duration>,
}

impl NewWork {
    /// An item of this kind, due at once, on behalf of `actor`.
    pub fn new(kind: WorkKind, key: impl Into<String>, actor: Actor) -> Self {
        Self {
            kind,
            key: key.into(),
            namespace: None,
            agent: None,
            revision: None,
            deployment: None,
            actor,
            request: None,
            host: None,
            run_after: Duration::ZERO,
            deadline: None,
        }
    }

    /// The same in a Namespace.
    #[must_use]
    pub fn within(mut self, namespace: NamespaceId) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// The same about an Agent of that Namespace.
    #[must_use]
    pub fn about(mut self, namespace: NamespaceId, agent: AgentId) -> Self {
        self.namespace = Some(namespace);
        self.agent = Some(agent);
        self
    }

    /// The same about one deployment of a revision.
    #[must_use]
    pub fn deploying(mut self, deployment: DeploymentId, revision: RevisionId) -> Self {
        self.deployment = Some(deployment);
        self.revision = Some(revision);
        self
    }

    /// The same about one revision.
    #[must_use]
    pub fn of_revision(mut self, revision: RevisionId) -> Self {
        self.revision = Some(revision);
        self
    }

    /// The same, asked for in this request.
    #[must_use]
    pub fn asked_in(mut self, request: Option<RequestId>) -> Self {
        self.request = request;
        self
    }

    /// The same, only for controllers of this host.
    #[must_use]
    pub fn on_host(mut self, host: Option<String>) -> Self {
        self.host = host;
        self
    }
}

/// Queues the item, or joins the unfinished one with the same key: its id is answered, and it runs no later than asked here. It stays
/// on behalf of whoever asked first, so what somebody else may ask on their own has their id in its key.
///
/// An Agent's lane is its own point and the lane of a Namespace's own work spans the points of all its Agents, so that one
/// exclusion constraint keeps one running item per Agent and Namespace work apart from Agent work. Other kinds have no lane.
pub async fn enqueue<K: Send>(tx: &mut Tx<K>, item: &NewWork) -> Result<WorkId> {
    let spans = matches!(item.kind, WorkKind::NamespaceEnsure | WorkKind::NamespaceDelete);
    let id: Uuid = sqlx::query_scalar(
        "INSERT INTO work (id, kind, key, namespace_id, agent_id, revision_id, deployment_id, actor_kind, actor_id, actor_name,
                request_id, host, run_after, deadline, lane, trace_parent)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + $13 * interval '1 microsecond',
                now() + $14 * interval '1 microsecond',
                CASE WHEN $5::uuid IS NOT NULL THEN
                         (SELECT int8range((n.lane << 32) + a.lane, (n.lane << 32) + a.lane, '[]')
                            FROM agent a JOIN namespace n ON n.id = a.namespace_id WHERE a.id = $5)
                     WHEN $15 THEN
                         (SELECT int8range(n.lane << 32, (n.lane + 1) << 32, '[)') FROM namespace n WHERE n.id = $4)
                END, $16)
         ON CONFLICT (key) WHERE state IN ('queued', 'running')
            DO UPDATE SET run_after = least(work.run_after, excluded.run_after)
         RETURNING id",
    )
    .bind(WorkId::new().uuid())
    .bind(item.kind.as_str())
    .bind(&item.key)
    .bind(item.namespace.map(TypedId::uuid))
    .bind(item.agent.map(TypedId::uuid))
    .bind(item.revision.map(TypedId::uuid))
    .bind(item.deployment.map(TypedId::uuid))
    .bind(item.actor.identity.kind().as_str())
    .bind(item.actor.identity.uuid())
    .bind(&item.actor.name)
    .bind(item.request.map(TypedId::uuid))
    .bind(&item.host)
    .bind(micros(item.run_after))
    .bind(item.deadline.map(micros))
    .bind(spans)
    .bind(trace::current())
    .fetch_one(tx.conn())
    .await?;
    Ok(WorkId::from_uuid(id))
}

/// Whole microseconds, as intervals are bound.
pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
