//! `/namespaces/{namespace}/agents`

use axum::http::StatusCode;
use occ_control::{Result, agent, deploy, deployment, lifecycle, revision, rollback};
use occ_model::deployment::DeployOutcome;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation as op;
use occ_model::reference::Selector;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn within(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

fn at(call: &Call) -> Result<Selector<AgentId>> {
    call.selector("agent")
}

/// 202 with what was admitted, or 200 with the report of a dry run.
fn outcome(outcome: &DeployOutcome) -> Reply {
    match outcome {
        DeployOutcome::Admitted(admitted) => Reply::with(StatusCode::ACCEPTED, admitted),
        DeployOutcome::Report(report) => Reply::ok(report),
    }
}

pub(super) fn routes() -> Vec<Route> {
    [drafts(), running(), revisions(), deployments()].concat()
}

fn drafts() -> Vec<Route> {
    vec![
        route(&op::AGENT_LIST, async |c: Call| Ok(Reply::ok(&agent::list(&c.cx, &within(&c)?, &c.list()?).await?))),
        route(&op::AGENT_CREATE, async |c: Call| {
            let made = agent::create(&c.cx, &within(&c)?, c.body()?, &c.options()?).await?;
            Ok(c.created(&made, made.id, made.meta.generation))
        })
        .kib(256),
        route(&op::AGENT_GET, async |c: Call| {
            c.only(&[])?;
            let found = agent::get(&c.cx, &within(&c)?, &at(&c)?).await?;
            Ok(Reply::ok(&found).etag(found.meta.generation))
        }),
        route(&op::AGENT_UPDATE, async |c: Call| {
            let changed = agent::update(&c.cx, &within(&c)?, &at(&c)?, &c.merge_patch()?, &c.options()?).await?;
            Ok(Reply::ok(&changed).etag(changed.meta.generation))
        }),
    ]
}

fn running() -> Vec<Route> {
    vec![
        route(&op::AGENT_DELETE, async |c: Call| {
            let deleting = lifecycle::delete(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?;
            Ok(Reply::with(StatusCode::ACCEPTED, &deleting))
        }),
        route(&op::AGENT_DEPLOY, async |c: Call| {
            c.no_body()?;
            Ok(outcome(&deploy::deploy(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?))
        }),
        route(&op::AGENT_STOP, async |c: Call| {
            c.no_body()?;
            let stopping = lifecycle::stop(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?;
            Ok(Reply::with(StatusCode::ACCEPTED, &stopping))
        }),
        route(&op::AGENT_START, async |c: Call| {
            c.no_body()?;
            Ok(outcome(&lifecycle::start(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?))
        }),
        route(&op::AGENT_RESTART, async |c: Call| {
            c.no_body()?;
            Ok(outcome(&lifecycle::restart(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?))
        }),
        route(&op::AGENT_ROLLBACK, async |c: Call| {
            Ok(outcome(&rollback::rollback(&c.cx, &within(&c)?, &at(&c)?, c.body()?, &c.options()?).await?))
        }),
    ]
}

fn revisions() -> Vec<Route> {
    vec![
        route(&op::AGENT_REVISIONS, async |c: Call| {
            Ok(Reply::ok(&revision::list(&c.cx, &within(&c)?, &at(&c)?, &c.list()?).await?))
        }),
        route(&op::AGENT_REVISION, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&revision::get(&c.cx, &within(&c)?, &at(&c)?, c.segment("revision")?).await?))
        }),
        route(&op::AGENT_DIFF, async |c: Call| {
            c.only(&["from", "to"])?;
            let (from, to) = (c.parameter("from")?, c.parameter("to")?);
            Ok(Reply::ok(&revision::diff(&c.cx, &within(&c)?, &at(&c)?, from, to).await?))
        }),
    ]
}

fn deployments() -> Vec<Route> {
    vec![
        route(&op::AGENT_DEPLOYMENTS, async |c: Call| {
            Ok(Reply::ok(&deployment::list(&c.cx, &within(&c)?, &at(&c)?, &c.list()?).await?))
        }),
        route(&op::AGENT_DEPLOYMENT, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&deployment::get(&c.cx, &within(&c)?, &at(&c)?, c.segment("deployment")?).await?))
        }),
        route(&op::DEPLOYMENT_CANCEL, async |c: Call| {
            c.no_body()?;
            let id = c.segment("deployment")?;
            Ok(Reply::ok(&deployment::cancel(&c.cx, &within(&c)?, &at(&c)?, id, &c.options()?).await?))
        }),
        route(&op::DEPLOYMENT_DIAGNOSE, async |c: Call| {
            c.no_body()?;
            c.only(&[])?;
            Ok(Reply::ok(&deployment::diagnose(&c.cx, &within(&c)?, &at(&c)?, c.segment("deployment")?).await?))
        }),
    ]
}
