//! Authorization decisions of an identity with 100,000 bindings, beside Cedar holding the same grants in the same process.
//!
//! All bindings are of one identity, the worst there is: a decision of OCC is made from the facts of one identity.

#[cfg(feature = "references")]
mod cedar;
mod facts;

use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use occ_model::operation::Action;

use crate::context::Context;
use crate::figure::{Figure, Goal, Report};
use crate::samples::Samples;
use facts::Grants;

const NAME: &str = "decisions";

/// Measures.
pub fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let grants = Grants::new(context.amount(100_000, 1_000));
    let begun = Instant::now();
    let facts = grants.facts();
    let indexed = begun.elapsed();
    let mut times = Samples::default();
    for n in 0..context.amount(200_000, 2_000) {
        let (target, allowed) = grants.question(n);
        let begun = Instant::now();
        let decision = facts.decide(black_box(Action::Read), black_box(&target));
        times.push(begun.elapsed());
        ensure!(decision.allowed == allowed, "a wrong decision about {target:?}");
    }
    #[cfg(feature = "references")]
    let reference = Some(cedar::measure(&grants, context.amount(60, 10))?);
    #[cfg(not(feature = "references"))]
    let reference: Option<Samples> = None;
    for (percent, goal) in [(50.0, Some(Goal::AtMost(2.0))), (99.0, None)] {
        let what = format!("a decision with {} bindings, p{percent}", grants.len());
        let mut figure = Figure::new(NAME, what, times.ms(percent) * 1_000.0, "µs");
        figure.goal = goal;
        if let Some(reference) = &reference {
            figure = figure.beside("Cedar", reference.ms(percent) * 1_000.0);
        }
        report.add(figure);
    }
    report.add(Figure::new(NAME, "making the facts ready, once a policy epoch", indexed.as_secs_f64() * 1_000.0, "ms"));
    Ok(())
}
