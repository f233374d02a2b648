//! `/namespaces`

use axum::http::StatusCode;
use occ_control::{Result, apply, namespace};
use occ_model::id::NamespaceId;
use occ_model::operation as op;
use occ_model::reference::Selector;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn at(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::NAMESPACE_LIST, async |c: Call| Ok(Reply::ok(&namespace::list(&c.cx, &c.list()?).await?))),
        route(&op::NAMESPACE_CREATE, async |c: Call| {
            let made = namespace::create(&c.cx, c.body()?, &c.options()?).await?;
            Ok(c.created(&made, made.id, made.meta.generation))
        }),
        route(&op::NAMESPACE_GET, async |c: Call| {
            c.only(&[])?;
            let found = namespace::get(&c.cx, &at(&c)?).await?;
            Ok(Reply::ok(&found).etag(found.meta.generation))
        }),
        route(&op::NAMESPACE_UPDATE, async |c: Call| {
            let changed = namespace::update(&c.cx, &at(&c)?, &c.merge_patch()?, &c.options()?).await?;
            Ok(Reply::ok(&changed).etag(changed.meta.generation))
        }),
        route(&op::NAMESPACE_DELETE, async |c: Call| {
            Ok(Reply::with(StatusCode::ACCEPTED, &namespace::delete(&c.cx, &at(&c)?, &c.options()?).await?))
        }),
        route(&op::NAMESPACE_RETRY, async |c: Call| {
            c.no_body()?;
            Ok(Reply::with(StatusCode::ACCEPTED, &namespace::retry(&c.cx, &at(&c)?, &c.options()?).await?))
        }),
        route(&op::NAMESPACE_APPLY, async |c: Call| {
            Ok(Reply::ok(&apply::apply(&c.cx, &at(&c)?, c.body()?, &c.options()?).await?))
        })
        .kib(1024),
    ]
}
