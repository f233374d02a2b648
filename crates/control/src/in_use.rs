//! The refusal to remove what something else refers to, naming only what the caller may read.

use occ_model::id::NamespaceId;
use occ_model::operation::Action;
use occ_model::problem::{Code, Problem};
use occ_policy::{Facts, Target};
use occ_store::reference::Referrer;

use crate::error::Error;
use crate::place::noun;

/// So many are named.
const NAMED: usize = 5;

/// A current draft or document refers to it.
pub const REFERS: &str = "refers to it. Change what refers to it first, then delete it.";
/// A revision that serves or is on its way holds it.
pub const HOLDS: &str =
    "holds it in a revision that serves or is on its way. Deploy without it or stop that first, then delete it.";

/// `IN_USE`, with the first of the referrers that the caller may read; `how` ends the sentence and says what to do.
pub fn refused(facts: &Facts, namespace: NamespaceId, referrers: &[Referrer], how: &str) -> Error {
    let readable: Vec<String> = referrers
        .iter()
        .filter(|by| {
            let target = Target { kind: by.kind, namespace: Some(namespace), id: Some(by.id) };
            facts.decide(Action::Read, &target).allowed
        })
        .take(NAMED)
        .map(|by| format!("{} {}", noun(by.kind), by.name))
        .collect();
    let others = referrers.len() - readable.len();
    let who = match (readable.is_empty(), others) {
        (true, _) => format!("{} of this Namespace", count(referrers.len())),
        (false, 0) => readable.join(", "),
        (false, others) => format!("{} and {} more", readable.join(", "), others),
    };
    Problem::new(Code::InUse, format!("{who} {how}")).into()
}

fn count(n: usize) -> String {
    if n == 1 { "1 resource".to_owned() } else { format!("{n} resources") }
}
