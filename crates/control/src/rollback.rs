//! Rolling back: a new revision that copies an old snapshot, admitted by today's rules.

use occ_model::agent::Rollback;
use occ_model::deployment::{DeployOutcome, DeploymentKind};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::revision::RevisionSelector;
use occ_store::agent::AgentRow;
use occ_store::configuration::ConfigurationRow;
use occ_store::{Named, revision};

use crate::deploy::settle;
use crate::order;
use crate::place;
use crate::wanted::Wanted;
use crate::write::{Once, again};
use crate::{Cx, Error, Result, WriteOptions};

/// Admits a copy of an old revision (202), or with a dry run says what admission would say (200).
pub async fn rollback(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    request: Rollback,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    again(|| attempt(cx, namespace, agent, &request, options)).await
}

async fn attempt(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    request: &Rollback,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    let operation = &operation::AGENT_ROLLBACK;
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let once = Once::new(cx, operation.id, found.row.id.to_string(), options, request)?;
    if let Some(before) = order::answered(cx, &found.row, &once, found.decision.epoch).await? {
        return Ok(DeployOutcome::Admitted(Box::new(before)));
    }
    options.check_match(found.row.meta.generation)?;
    let mut on = cx.read().await?;
    let old = revision::find(&mut on, found.row.id, RevisionSelector::Number(request.revision)).await?;
    let Some(old) = old else {
        return Err(Error::from(
            Problem::new(Code::InvalidFields, "The Agent has no such revision. Choose one from its list.").at(
                "/revision",
                "UNKNOWN_REVISION",
                "The Agent has no revision with this number.",
            ),
        ));
    };
    let wanted = Wanted::again(&old.snapshot)?;
    let there = ConfigurationRow::find(&mut on, found.namespace.id, &Selector::Id(wanted.configuration)).await?;
    drop(on);
    let wanted = there.map(|_| wanted);
    settle(cx, operation, DeploymentKind::Rollback, found, wanted, Some(old.number), &once, options).await
}
