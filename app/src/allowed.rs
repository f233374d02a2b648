//! What the caller may do here, so that buttons that would be refused are not offered (law 11). The server decides anyway:
//! while this is not known, or cannot be read, everything is offered.

use leptos::prelude::*;
use occ_model::access::Permissions;
use occ_model::operation::{Action, Kind};

use crate::api;
use crate::load::Reading;

/// What the caller may do with one resource or scope.
#[derive(Clone, Copy)]
pub struct Allowed(Reading<Permissions>);

/// Reads what the caller may do with the resource at an API path below `/api/v1/`, such as `namespaces/research`.
pub fn allowed(resource: impl Fn() -> String + Send + Sync + 'static) -> Allowed {
    Allowed(Resource::new(resource, api::me::may))
}

impl Allowed {
    /// Why `action` on `kind` is not offered, if it is not. Read under a `Transition` (or after hydration).
    pub fn missing(self, action: Action, kind: Kind) -> Signal<Option<String>> {
        Signal::derive(move || {
            let granted = match self.0.get() {
                Some(Ok(permissions)) => permissions.allowed.iter().any(|p| p.action == action && p.kind == kind),
                _ => true,
            };
            (!granted).then(|| format!("It needs {action} on the {kind}."))
        })
    }
}
