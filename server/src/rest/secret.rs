//! `/namespaces/{namespace}/secrets`

use axum::http::StatusCode;
use occ_control::{Result, secret};
use occ_model::id::{AgentId, NamespaceId, SecretId};
use occ_model::operation as op;
use occ_model::reference::Selector;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn within(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

fn at(call: &Call) -> Result<Selector<SecretId>> {
    call.selector("secret")
}

fn consumer(call: &Call) -> Result<Selector<AgentId>> {
    call.selector("agent")
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::SECRET_LIST, async |c: Call| Ok(Reply::ok(&secret::list(&c.cx, &within(&c)?, &c.list()?).await?))),
        route(&op::SECRET_CREATE, async |c: Call| {
            let made = secret::create(&c.cx, &within(&c)?, c.body()?, &c.options()?).await?;
            Ok(c.created(&made, made.id, made.meta.generation))
        })
        .kib(256),
        route(&op::SECRET_GET, async |c: Call| {
            c.only(&[])?;
            let found = secret::get(&c.cx, &within(&c)?, &at(&c)?).await?;
            Ok(Reply::ok(&found).etag(found.meta.generation))
        }),
        route(&op::SECRET_UPDATE, async |c: Call| {
            let changed = secret::update(&c.cx, &within(&c)?, &at(&c)?, &c.merge_patch()?, &c.options()?).await?;
            Ok(Reply::ok(&changed).etag(changed.meta.generation))
        }),
        route(&op::SECRET_DELETE, async |c: Call| {
            secret::delete(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::SECRET_SET_VALUE, async |c: Call| {
            let changed = secret::set_value(&c.cx, &within(&c)?, &at(&c)?, c.body()?, &c.options()?).await?;
            Ok(Reply::with(StatusCode::CREATED, &changed).etag(changed.meta.generation))
        })
        .kib(256),
        route(&op::SECRET_DESTROY_VERSION, async |c: Call| {
            let version = c.segment("version")?;
            secret::destroy_version(&c.cx, &within(&c)?, &at(&c)?, version, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::SECRET_CONSUMERS, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&secret::consumers(&c.cx, &within(&c)?, &at(&c)?).await?))
        }),
        route(&op::SECRET_GRANT, async |c: Call| {
            c.no_body()?;
            Ok(Reply::ok(&secret::grant(&c.cx, &within(&c)?, &at(&c)?, &consumer(&c)?, &c.options()?).await?))
        }),
        route(&op::SECRET_WITHDRAW, async |c: Call| {
            secret::withdraw(&c.cx, &within(&c)?, &at(&c)?, &consumer(&c)?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
    ]
}
