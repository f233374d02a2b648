//! REST: one file per resource, one line per operation. What an operation does is in `occ_control`; how a request is read and
//! answered is in [`crate::http`].

mod agent;
mod configuration;
mod me;
mod namespace;
mod secret;
mod talk;
mod work;

use crate::http::route::Route;

/// Every REST route.
pub fn routes() -> Vec<Route> {
    [
        me::routes(),
        namespace::routes(),
        configuration::routes(),
        secret::routes(),
        agent::routes(),
        talk::routes(),
        work::routes(),
    ]
    .concat()
}
