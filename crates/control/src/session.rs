//! One's own sessions.

use occ_model::access::Session;
use occ_model::id::{SessionId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{self as op, Kind};
use occ_model::page::Page;
use occ_store::audit::Entry;
use occ_store::session;

use crate::change;
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::{WriteOptions, again};

/// The caller's live sessions, newest first. Automation has none.
pub async fn list(cx: &Cx) -> Result<Page<Session>> {
    let items = match cx.actor().identity {
        Identity::Principal(principal) => session::of(&mut cx.read().await?, principal, cx.session()).await?,
        Identity::ServicePrincipal(_) | Identity::Workload(_) => Vec::new(),
    };
    Ok(Page { items, next_cursor: None })
}

/// Ends one of the caller's sessions. One that ended already is not found.
pub async fn end(cx: &Cx, id: SessionId, options: &WriteOptions) -> Result<()> {
    again(|| attempt_end(cx, id, options)).await
}

async fn attempt_end(cx: &Cx, id: SessionId, options: &WriteOptions) -> Result<()> {
    let Identity::Principal(principal) = cx.actor().identity else { return Err(Error::not_found()) };
    let mut tx = cx.mutate(cx.facts().await?.epoch).await?;
    if !session::end(&mut tx, principal, id).await? {
        return Err(Error::not_found());
    }
    let entry = Entry::success(op::ME_SESSION_END.id, Kind::Principal, principal.uuid()).of(&cx.actor().name, None);
    // Streams of that session look again then, and end.
    change::commit(cx, tx.audit(entry).await?, options.dry_run).await
}
