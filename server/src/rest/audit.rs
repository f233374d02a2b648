//! `/audit`

use occ_control::audit::{self, AuditQuery};
use occ_model::operation as op;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

const FILTERS: [&str; 8] = ["actor", "action", "kind", "resource", "namespace", "outcome", "since", "until"];

pub(super) fn routes() -> Vec<Route> {
    vec![route(&op::AUDIT_LIST, async |c: Call| {
        let page = c.list_with(&FILTERS)?;
        let filter = AuditQuery {
            actor: c.parameter("actor")?,
            action: c.parameter("action")?,
            kind: c.parameter("kind")?,
            resource: c.parameter("resource")?,
            namespace: c.parameter("namespace")?,
            outcome: c.parameter("outcome")?,
            since: c.parameter("since")?,
            until: c.parameter("until")?,
        };
        Ok(Reply::ok(&audit::list(&c.cx, &filter, &page).await?))
    })]
}
