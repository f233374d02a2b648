//! `/me`, `/installation`

use occ_control::{installation, me, session};
use occ_model::operation as op;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::ME, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&me::get(&c.cx).await?))
        }),
        route(&op::ME_PERMISSIONS, async |c: Call| {
            c.only(&["resource"])?;
            let resource: String = c.parameter("resource")?.unwrap_or_default();
            Ok(Reply::ok(&me::permissions(&c.cx, &resource).await?))
        }),
        route(&op::ME_SESSIONS, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&session::list(&c.cx).await?))
        }),
        route(&op::ME_SESSION_END, async |c: Call| {
            session::end(&c.cx, c.segment("session")?, &c.options()?).await?;
            Ok(Reply::empty())
        }),
        route(&op::INSTALLATION_GET, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&installation::get(&c.cx).await?))
        }),
    ]
}
