//! Deploying: an Agent's draft becomes an admitted, immutable revision and a deployment of it.

use occ_model::deployment::{AdmissionReport, DeployOutcome, DeploymentKind};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation;
use occ_model::reference::Selector;
use occ_model::revision::{RevisionSelector, Snapshot};
use occ_store::agent::AgentRow;
use occ_store::revision;
use serde_json::{Value, json};

use crate::admission::{self, Admission, Request};
use crate::diff::diff;
use crate::order::{self, Order, What, place_order};
use crate::place::{self, Found};
use crate::wanted::{Wanted, comparable};
use crate::write::{Once, again};
use crate::{Cx, Result, WriteOptions};

/// Admits the draft (202), or with a dry run says what admission would say (200). `If-Match` is the draft's generation.
pub async fn deploy(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    again(|| attempt(cx, namespace, agent, options)).await
}

async fn attempt(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    let operation = &operation::AGENT_DEPLOY;
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let once = Once::new(cx, operation.id, found.row.id.to_string(), options, &json!({}))?;
    if let Some(before) = order::answered(cx, &found.row, &once, found.decision.epoch).await? {
        return Ok(DeployOutcome::Admitted(Box::new(before)));
    }
    options.check_match(found.row.meta.generation)?;
    let wanted = Wanted::draft(&mut cx.read().await?, found.namespace.id, &found.row).await?;
    settle(cx, operation, DeploymentKind::Deploy, found, wanted, None, &once, options).await
}

/// Admits `wanted` and writes it, refuses it, or reports.
#[expect(clippy::too_many_arguments, reason = "shared by deploy and rollback, which differ in exactly these")]
pub(crate) async fn settle(
    cx: &Cx,
    operation: &'static operation::Operation,
    kind: DeploymentKind,
    found: Found<AgentRow>,
    wanted: Option<Wanted>,
    copied_from: Option<i64>,
    once: &Once,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    let (namespace, agent) = (&found.namespace, &found.row);
    let admission = admission::admit(cx, Request { kind, namespace, agent, wanted }).await?;
    if options.dry_run {
        return Ok(DeployOutcome::Report(report(cx, agent, admission).await?));
    }
    let Admission { checks, refusal, snapshot, answers } = admission;
    let snapshot = match (refusal, snapshot) {
        (None, Some(snapshot)) => snapshot,
        (Some(problem), _) => {
            return admission::refuse(cx, (operation, namespace, agent), answers.epoch, problem).await;
        }
        (None, None) => {
            return Err(crate::Error::fault("admitting a deployment", "every check passed, but nothing was built"));
        }
    };
    let order = Order {
        operation,
        kind,
        namespace,
        agent,
        what: What::New { snapshot: &snapshot, copied_from },
        answers: &answers,
        checks: checks.len(),
        once,
    };
    Ok(DeployOutcome::Admitted(Box::new(place_order(cx, order).await?)))
}

async fn report(cx: &Cx, agent: &AgentRow, admission: Admission) -> Result<AdmissionReport> {
    let active = match agent.active {
        Some((id, _)) => revision::find(&mut cx.read().await?, agent.id, RevisionSelector::Id(id)).await?,
        None => None,
    };
    let side = |snapshot: Option<&Snapshot>| snapshot.map_or(Ok(Value::Object(serde_json::Map::new())), comparable);
    let diff = match &admission.snapshot {
        Some(snapshot) => diff(&side(active.as_ref().map(|revision| &revision.snapshot))?, &side(Some(snapshot))?),
        None => Vec::new(),
    };
    Ok(AdmissionReport { admitted: admission.refusal.is_none(), checks: admission.checks, diff })
}
