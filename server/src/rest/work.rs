//! `/work`

use occ_control::work;
use occ_model::operation as op;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::WORK_LIST, async |c: Call| Ok(Reply::ok(&work::list(&c.cx, &c.list()?).await?))),
        route(&op::WORK_GET, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&work::get(&c.cx, c.segment("work")?).await?))
        }),
        route(&op::WORK_CANCEL, async |c: Call| {
            c.no_body()?;
            Ok(Reply::ok(&work::cancel(&c.cx, c.segment("work")?, &c.options()?).await?))
        }),
        route(&op::WORK_RETRY, async |c: Call| {
            c.no_body()?;
            Ok(Reply::ok(&work::retry(&c.cx, c.segment("work")?, &c.options()?).await?))
        }),
    ]
}
