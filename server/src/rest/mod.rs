//! REST: one file per resource, one line per operation. What an operation does is in `occ_control`; how a request is read and
//! answered is in [`crate::http`].

mod access;
mod agent;
mod audit;
mod configuration;
mod events;
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
        access::routes(),
        audit::routes(),
        events::routes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use occ_model::operation::OPERATIONS;

    #[test]
    fn every_operation_has_exactly_one_route() {
        let mut count: BTreeMap<&str, usize> = OPERATIONS.iter().map(|operation| (operation.id, 0)).collect();
        for route in super::routes() {
            *count.entry(route.operation.id).or_default() += 1;
        }
        let wrong: Vec<_> = count.into_iter().filter(|(_, routes)| *routes != 1).collect();
        assert_eq!(wrong, [], "operations with none or several routes");
    }
}
