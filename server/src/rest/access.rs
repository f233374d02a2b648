//! `/access/explain`, `/roles`, `/bindings`, `/namespaces/{namespace}/bindings`, `/principals`, `/service-principals` and their keys.

use occ_control::{Result, access, binding, key, principal, role, service_principal};
use occ_model::id::{NamespaceId, ServicePrincipalId};
use occ_model::operation as op;
use occ_model::reference::Selector;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn within(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

fn service(call: &Call) -> Result<Selector<ServicePrincipalId>> {
    call.selector("service_principal")
}

pub(super) fn routes() -> Vec<Route> {
    [rules(), namespace_bindings(), identities()].concat()
}

fn rules() -> Vec<Route> {
    vec![
        route(&op::ACCESS_EXPLAIN, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&access::explain(&c.cx, &c.body()?).await?))
        }),
        route(&op::ROLE_LIST, async |c: Call| Ok(Reply::ok(&role::list(&c.cx, &c.list()?).await?))),
        route(&op::ROLE_CREATE, async |c: Call| {
            let made = role::create(&c.cx, c.body()?, &c.options()?).await?;
            Ok(c.created(&made, made.id, made.generation))
        }),
        route(&op::ROLE_DELETE, async |c: Call| {
            role::delete(&c.cx, &c.selector("role")?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::BINDING_LIST, async |c: Call| Ok(Reply::ok(&binding::list(&c.cx, &c.list()?).await?))),
        route(&op::BINDING_CREATE, async |c: Call| {
            let made = binding::create(&c.cx, c.body()?, &c.options()?).await?;
            Ok(c.made(&made, made.id))
        }),
        route(&op::BINDING_DELETE, async |c: Call| {
            binding::delete(&c.cx, c.segment("binding")?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
    ]
}

fn namespace_bindings() -> Vec<Route> {
    vec![
        route(&op::NAMESPACE_BINDING_LIST, async |c: Call| {
            Ok(Reply::ok(&binding::list_in(&c.cx, &within(&c)?, &c.list()?).await?))
        }),
        route(&op::NAMESPACE_BINDING_CREATE, async |c: Call| {
            let made = binding::create_in(&c.cx, &within(&c)?, c.body()?, &c.options()?).await?;
            Ok(c.made(&made, made.id))
        }),
        route(&op::NAMESPACE_BINDING_DELETE, async |c: Call| {
            binding::delete_in(&c.cx, &within(&c)?, c.segment("binding")?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
    ]
}

fn identities() -> Vec<Route> {
    vec![
        route(&op::PRINCIPAL_LIST, async |c: Call| Ok(Reply::ok(&principal::list(&c.cx, &c.list()?).await?))),
        route(&op::SERVICE_PRINCIPAL_LIST, async |c: Call| {
            Ok(Reply::ok(&service_principal::list(&c.cx, &c.list()?).await?))
        }),
        route(&op::SERVICE_PRINCIPAL_CREATE, async |c: Call| {
            let made = service_principal::create(&c.cx, c.body()?, &c.options()?).await?;
            Ok(c.made(&made, made.id))
        }),
        route(&op::SERVICE_PRINCIPAL_DELETE, async |c: Call| {
            service_principal::delete(&c.cx, &service(&c)?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::KEY_LIST, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&key::list(&c.cx, &service(&c)?).await?))
        }),
        route(&op::KEY_CREATE, async |c: Call| {
            let issued = key::create(&c.cx, &service(&c)?, c.body()?, &c.options()?).await?;
            Ok(c.made(&issued, issued.key.id))
        }),
        route(&op::KEY_REVOKE, async |c: Call| {
            key::revoke(&c.cx, &service(&c)?, c.segment("key")?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
    ]
}
