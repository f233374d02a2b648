//! An Agent's logs: allow-listed and redacted by the driver, audited per view.

use futures::stream::BoxStream;
use occ_driver::{AgentKey, LogQuery};
use occ_model::chat::LogLine;
use occ_model::id::TypedId;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation::{self as op, Kind};
use occ_model::reference::Selector;
use occ_policy::Target;
use occ_store::Named;
use occ_store::agent::AgentRow;
use occ_store::audit::Entry;
use serde_json::json;

use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::place;
use crate::stream::{lapse, until};

/// A view shows at most so many lines.
pub const MOST: usize = 1000;

/// The last `lines` lines.
pub async fn tail(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    lines: usize,
) -> Result<Vec<LogLine>> {
    let key = opened(cx, namespace, agent, false).await?;
    cx.compute.logs(key, LogQuery { tail: lines.min(MOST) }).await.map_err(Error::Driver)
}

/// The last `lines` lines and what follows, for as long as the caller may read it.
pub async fn follow(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    lines: usize,
) -> Result<BoxStream<'static, LogLine>> {
    let key = opened(cx, namespace, agent, true).await?;
    let lines = cx.compute.follow_logs(key, LogQuery { tail: lines.min(MOST) }).await.map_err(Error::Driver)?;
    let target = Target::resource(Kind::Agent, key.namespace, key.agent);
    Ok(until(lines, lapse(cx, place::action(&op::AGENT_LOGS)?, target), None))
}

/// Decides, and records that the log was looked at: no record, no log.
async fn opened(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    follow: bool,
) -> Result<AgentKey> {
    let found = place::resource::<AgentRow>(cx, &op::AGENT_LOGS, namespace, agent).await?;
    let entry = Entry::success(op::AGENT_LOGS.id, Kind::Agent, found.row.id().uuid())
        .of(found.row.meta.name.as_str(), Some(found.namespace.id))
        .because(evidence(&found.decision.evidence))
        .with(json!({ "follow": follow }));
    cx.store.record(&cx.origin(found.decision.epoch), &entry).await?;
    Ok(AgentKey { installation: cx.installation, namespace: found.namespace.id, agent: found.row.id() })
}
