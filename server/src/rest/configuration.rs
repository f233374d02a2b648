//! `/namespaces/{namespace}/configurations`

use occ_control::{Result, configuration};
use occ_model::id::{ConfigurationId, NamespaceId};
use occ_model::operation as op;
use occ_model::reference::Selector;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn within(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

fn at(call: &Call) -> Result<Selector<ConfigurationId>> {
    call.selector("configuration")
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::CONFIGURATION_LIST, async |c: Call| {
            Ok(Reply::ok(&configuration::list(&c.cx, &within(&c)?, &c.list()?).await?))
        }),
        route(&op::CONFIGURATION_CREATE, async |c: Call| {
            let made = configuration::create(&c.cx, &within(&c)?, c.body()?, &c.options()?).await?;
            Ok(c.created(&made, made.id, made.meta.generation))
        })
        .kib(1024),
        route(&op::CONFIGURATION_GET, async |c: Call| {
            c.only(&[])?;
            let found = configuration::get(&c.cx, &within(&c)?, &at(&c)?).await?;
            Ok(Reply::ok(&found).etag(found.meta.generation))
        }),
        route(&op::CONFIGURATION_PUT, async |c: Call| {
            let changed = configuration::put(&c.cx, &within(&c)?, &at(&c)?, c.body()?, &c.options()?).await?;
            Ok(Reply::ok(&changed).etag(changed.meta.generation))
        })
        .kib(1024),
        route(&op::CONFIGURATION_UPDATE, async |c: Call| {
            let changed =
                configuration::update(&c.cx, &within(&c)?, &at(&c)?, &c.merge_patch()?, &c.options()?).await?;
            Ok(Reply::ok(&changed).etag(changed.meta.generation))
        })
        .kib(1024),
        route(&op::CONFIGURATION_DELETE, async |c: Call| {
            configuration::delete(&c.cx, &within(&c)?, &at(&c)?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::CONFIGURATION_GENERATIONS, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&configuration::generations(&c.cx, &within(&c)?, &at(&c)?).await?))
        }),
        route(&op::CONFIGURATION_GENERATION, async |c: Call| {
            c.only(&[])?;
            let number = c.segment("generation")?;
            Ok(Reply::ok(&configuration::generation(&c.cx, &within(&c)?, &at(&c)?, number).await?))
        }),
        route(&op::CONFIGURATION_DIFF, async |c: Call| {
            c.only(&["from", "to"])?;
            let (from, to) = (c.parameter("from")?, c.parameter("to")?);
            Ok(Reply::ok(&configuration::diff(&c.cx, &within(&c)?, &at(&c)?, from, to).await?))
        }),
        route(&op::CONFIGURATION_VALIDATE, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&configuration::validate(&c.cx, &within(&c)?, c.body()?).await?))
        })
        .kib(1024),
    ]
}
