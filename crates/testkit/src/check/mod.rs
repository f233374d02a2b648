//! The checker: reads what the store did, what happened on the target, which turns doors admitted and what people were told, and answers
//! every violation of an invariant that it can see there. It looks at traces only, so it is right or wrong whoever made the trace.

mod claims;
mod ends;
pub mod journal;
mod policy;
mod requests;
mod service;
pub mod trace;
mod traffic;
mod whole;

pub use trace::{Answer, Asked, End, Trace, Violation};

/// Every violation, by invariant.
pub fn check(trace: &Trace) -> Vec<Violation> {
    let mut found = Vec::new();
    traffic::check(trace, &mut found);
    whole::check(trace, &mut found);
    claims::check(trace, &mut found);
    policy::check(trace, &mut found);
    service::check(trace, &mut found);
    requests::check(trace, &mut found);
    ends::check(trace, &mut found);
    found
}

fn violated(found: &mut Vec<Violation>, invariant: &'static str, what: impl Into<String>) {
    found.push(Violation { invariant, what: what.into() });
}
