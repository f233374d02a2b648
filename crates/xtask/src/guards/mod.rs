//! `cargo xtask guards [NAME…]`: takes each guarding line of `guards.toml` out of a copy of the tree and expects that a test named
//! after its invariant fails. A guard whose tests all pass without it is not guarded by them, and that is a failure.
//!
//! The copy is a worktree of HEAD below the target folder, with a target folder of its own, so nothing of the clone is touched.

mod table;
#[cfg(test)]
mod tests;
mod tree;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::{bail, ensure};

use self::table::{Guard, Table};
use self::tree::Tree;
use self::trial::{Outcome, Trial};

/// What can be said on the command line.
#[derive(clap::Args)]
pub struct Options {
    /// Only these guards; all without a name.
    names: Vec<String>,
    /// Only say which guards there are.
    #[arg(long)]
    list: bool,
    /// Do not run the tests unmutated first and last.
    #[arg(long)]
    skip_whole: bool,
}

/// What became of one guard.
struct Row<'a> {
    guard: &'a Guard,
    outcome: Outcome,
    seconds: u64,
}

/// Tries the guards; fails unless each was seen.
pub fn check(options: &Options) -> anyhow::Result<()> {
    let workspace = crate::paths::workspace()?;
    let table = Table::read(&workspace)?;
    let guards = table.chosen(&options.names)?;
    if options.list {
        for guard in guards {
            println!("{:36} {:10} {}", guard.name, guard.invariants.join(" "), guard.says);
        }
        return Ok(());
    }
    ensure!(
        std::env::var_os("DATABASE_URL").is_some(),
        "DATABASE_URL names no test database; run `make guards`, or eval what `occ-testdb start FOLDER` prints"
    );
    let home = crate::paths::target()?.join("guards");
    let tree = Tree::refresh(&workspace, &home)?;
    let trial = Trial::new(tree.root(), &home.join("target"));
    if !options.skip_whole {
        whole(&trial, &guards)?;
    }
    let mut rows = Vec::new();
    for (number, guard) in guards.iter().enumerate() {
        let began = Instant::now();
        let taken = tree.take(&guard.edits())?;
        let outcome = trial.run(&guard.package, &guard.targets, &guard.tests);
        taken.restore()?;
        let row = Row { guard, outcome: outcome?, seconds: began.elapsed().as_secs() };
        eprintln!("[{}/{}] {}", number + 1, guards.len(), row.line());
        rows.push(row);
    }
    // A machine that went bad meanwhile would have made every guard look guarded.
    if !options.skip_whole {
        whole(&trial, &guards)?;
    }
    report(&rows)
}

/// The tests pass while nothing is taken out; without that a failure would prove nothing.
fn whole(trial: &Trial, guards: &[&Guard]) -> anyhow::Result<()> {
    let mut packages: BTreeMap<&str, Vec<&Guard>> = BTreeMap::new();
    for guard in guards {
        packages.entry(&guard.package).or_default().push(guard);
    }
    for (package, guards) in packages {
        let began = Instant::now();
        let tests: Vec<_> = guards.iter().map(|guard| format!("({})", guard.tests)).collect();
        let targets: BTreeSet<_> = guards.iter().flat_map(|guard| guard.targets.clone()).collect();
        let targets: Vec<_> = targets.into_iter().collect();
        match trial.run(package, &targets, &tests.join(" or "))? {
            Outcome::AllPassed(run) => {
                eprintln!("[whole] {package}: {run} tests pass ({} s)", began.elapsed().as_secs());
            }
            other => bail!("nothing was taken out, and yet {package}: {other}"),
        }
    }
    Ok(())
}

impl Row<'_> {
    fn line(&self) -> String {
        format!("{:36} {:10} {} ({} s)", self.guard.name, self.guard.invariants.join(" "), self.outcome, self.seconds)
    }
}

fn report(rows: &[Row<'_>]) -> anyhow::Result<()> {
    println!();
    for row in rows {
        println!("{}", row.line());
    }
    let missing: Vec<_> = rows.iter().filter(|row| !row.outcome.is_seen()).map(|row| row.guard.name.as_str()).collect();
    println!("{} guards, {} seen failing when removed", rows.len(), rows.len() - missing.len());
    if !missing.is_empty() {
        bail!("no test noticed that these were gone: {}", missing.join(", "));
    }
    Ok(())
}
