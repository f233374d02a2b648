//! Whose grant: an Agent's own identity may use a Secret only by the exact binding that is made here (I11).

use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, BindingId, NamespaceId, SecretId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{self, Action, Kind, Operation};
use occ_model::page::Page;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::secret::SecretConsumer;
use occ_policy::Target;
use occ_store::agent::AgentRow;
use occ_store::binding::{self, Exact};
use occ_store::secret::SecretRow;
use occ_store::{Named, StoreError, role, secret_consumer};
use serde_json::json;

use crate::change::{self, Change};
use crate::context::Cx;
use crate::error::Result;
use crate::place::{self, Found};
use crate::secret_view::readable;
use crate::write::{Once, WriteOptions, again};

type In = Selector<NamespaceId>;
type Of = Selector<SecretId>;

/// The built-in role of the grant.
const ROLE: &str = "secret-consumer";

/// Agents that may use it or use it (those that the caller may read). One page holds them all.
pub async fn consumers(cx: &Cx, namespace: &In, secret: &Of) -> Result<Page<SecretConsumer>> {
    let found = place::resource::<SecretRow>(cx, &operation::SECRET_CONSUMERS, namespace, secret).await?;
    let facts = cx.facts().await?;
    let rows = secret_consumer::of(&mut cx.read().await?, &[found.row.id]).await?;
    Ok(Page { items: readable(&facts, found.namespace.id, &found.row, &rows), next_cursor: None })
}

/// Lets an Agent's own identity use it: the exact binding. Twice is once.
pub async fn grant(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    agent: &Selector<AgentId>,
    options: &WriteOptions,
) -> Result<SecretConsumer> {
    again(|| attempt(cx, &operation::SECRET_GRANT, namespace, secret, agent, options)).await
}

/// Takes that binding away. Not there is done.
pub async fn withdraw(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    agent: &Selector<AgentId>,
    options: &WriteOptions,
) -> Result<()> {
    again(|| attempt(cx, &operation::SECRET_WITHDRAW, namespace, secret, agent, options)).await.map(drop)
}

async fn attempt(
    cx: &Cx,
    operation: &Operation,
    namespace: &In,
    secret: &Of,
    agent: &Selector<AgentId>,
    options: &WriteOptions,
) -> Result<SecretConsumer> {
    let found = place::resource::<SecretRow>(cx, operation, namespace, secret).await?;
    let Found { namespace, row, decision } = found;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    // Held shared against the deletion of the Namespace; the Agent first, then the Secret, as everywhere.
    place::hold(&mut tx, namespace.id).await?;
    let agent = match AgentRow::find(&mut tx, namespace.id, agent).await? {
        Some(row) if facts.decide(Action::Read, &Target::resource(Kind::Agent, namespace.id, row.id)).allowed => row,
        _ => return Err(unusable()),
    };
    let agent: AgentRow = place::lock(&mut tx, namespace.id, agent.id).await?;
    let secret: SecretRow = place::lock(&mut tx, namespace.id, row.id).await?;
    let granting = operation.id == operation::SECRET_GRANT.id;
    let role = role::built_in(&mut tx, ROLE).await?.ok_or(StoreError::Corrupt("built-in role"))?;
    let identity = Identity::workload(agent.id);
    let changed = if granting {
        let exact = Exact { kind: Kind::Secret, id: secret.id.uuid(), name: secret.meta.name.as_str() };
        binding::insert(&mut tx, BindingId::new(), identity, role, Some(namespace.id), Some(exact)).await?
    } else {
        binding::remove_exact(&mut tx, identity, role, secret.id.uuid()).await?
    };
    let rows = secret_consumer::of(&mut tx, &[secret.id]).await?;
    let shown = readable(&facts, namespace.id, &secret, &rows);
    let consumer = shown.into_iter().find(|consumer| consumer.agent_id == agent.id).unwrap_or(SecretConsumer {
        agent_id: agent.id,
        agent: agent.meta.name.clone(),
        granted: false,
        referenced: false,
        serving_version: None,
        stale: false,
    });
    if !changed {
        return Ok(consumer);
    }
    tx.bump_policy().await?;
    let change = Change {
        operation,
        id: secret.id.uuid(),
        shown: secret.id.to_string(),
        meta: &secret.meta,
        namespace: namespace.id,
        op: ChangeOp::Updated,
        state: None,
        decision: &decision,
        details: json!({ "agent": agent.id }),
        status: if granting { 200 } else { 204 },
    };
    let tx = change::record(cx, tx, &Once::none(operation.id), change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(consumer)
}

/// One answer for an Agent that is missing, of another Namespace, or not readable for the caller.
fn unusable() -> crate::Error {
    Problem::new(Code::NotFound, "There is no such Agent here, or you may not see it.").into()
}
