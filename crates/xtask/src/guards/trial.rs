//! Running the tests of a guard, and what that says.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// How nextest ends: a test failed, nothing was built, no test fitted.
const FAILED: i32 = 100;
const NOT_BUILT: i32 = 101;
const NO_TESTS: i32 = 4;

/// Everything is built with the features that the whole workspace gives it, as the test layers do, so that no dependency is built
/// twice. With `--lib` the workspace would build the unit tests of every library; these packages give the same features and have
/// next to none.
const WITH_LIBRARIES: [&str; 3] = ["-pserver", "-pxtask", "-pocc-supervisor"];

/// What the tests said.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It built, and these failed.
    Failed(Vec<String>),
    /// It built, none of them failed, and these did not end or left something behind: a slow machine does that, too.
    OnlyHung(Vec<String>),
    /// It built, and all of so many passed.
    AllPassed(usize),
    /// It did not build: what was put is no code. The compiler's last words.
    NotBuilt(String),
    /// No test is called so.
    NoTests,
}

impl Outcome {
    fn of_failure(said: &str) -> Self {
        let failed = named(said, &["FAIL", "ABORT", "SIG"]);
        if failed.is_empty() { Self::OnlyHung(named(said, &["TIMEOUT", "LEAK-FAIL"])) } else { Self::Failed(failed) }
    }

    /// A test noticed.
    pub fn is_seen(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(names) => write!(f, "seen failing: {}", names.join(", ")),
            Self::OnlyHung(names) => write!(f, "NOT SEEN: only hung: {}", names.join(", ")),
            Self::AllPassed(run) => write!(f, "NOT GUARDED: all {run} tests pass"),
            Self::NotBuilt(words) => write!(f, "DID NOT BUILD: {words}"),
            Self::NoTests => f.write_str("NO TEST fits the expression"),
        }
    }
}

/// Where tests are built and run.
pub struct Trial {
    root: PathBuf,
    target: PathBuf,
}

impl Trial {
    /// In the tree at `root`, with a target folder of its own.
    pub fn new(root: &Path, target: &Path) -> Self {
        Self { root: root.to_owned(), target: target.to_owned() }
    }

    /// Builds and runs `tests` of the package.
    pub fn run(&self, package: &str, targets: &[String], tests: &str) -> anyhow::Result<Outcome> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.root).args(["nextest", "run", "--locked", "--no-fail-fast"]);
        if targets.iter().any(|target| target == "--lib") {
            command.args(["-p", package]).args(WITH_LIBRARIES);
        } else {
            command.args(["--workspace", "--exclude=frontend"]);
        }
        command.args(targets.iter().flat_map(|target| target.split_whitespace()));
        command.args(["--color=never", "--status-level=fail", "--final-status-level=none"]);
        command.arg(format!("-Epackage({package}) and ({tests})"));
        command.env("CARGO_TARGET_DIR", &self.target);
        // What cargo tells this program about itself is not about what is built there.
        let own = std::env::vars_os().map(|(name, _)| name);
        for name in own.filter(|name| is_about_xtask(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        let out = command.output().context("cannot run cargo nextest; `make setup` installs it")?;
        let said = String::from_utf8_lossy(&out.stderr);
        match out.status.code() {
            Some(0) => Ok(Outcome::AllPassed(passed(&said))),
            Some(FAILED) => Ok(Outcome::of_failure(&said)),
            Some(NOT_BUILT) => Ok(Outcome::NotBuilt(first_error(&said))),
            Some(NO_TESTS) => Ok(Outcome::NoTests),
            _ => bail!("cargo nextest ended with {}: {said}", out.status),
        }
    }
}

fn is_about_xtask(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// Names of the tests that ended in one of these ways, without their packages: `FAIL [ 0.1s] (1/2) occ-work::queue i4_a` is `i4_a`.
fn named(said: &str, endings: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = said
        .lines()
        .map(str::trim_start)
        .filter(|line| endings.iter().any(|word| line.starts_with(word)))
        .filter(|line| line.contains('['))
        .filter_map(|line| line.split_whitespace().last())
        .map(|name| name.rsplit("::").next().unwrap_or(name).to_owned())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// `Summary [ 1.2s] 12 tests run: 12 passed, 3 skipped` are 12.
fn passed(said: &str) -> usize {
    let summary = said.lines().rev().find_map(|line| line.trim_start().strip_prefix("Summary"));
    let count = summary.and_then(|line| line.split_once(']')).and_then(|(_, rest)| rest.split_whitespace().next());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

fn first_error(said: &str) -> String {
    said.lines().find(|line| line.starts_with("error")).unwrap_or("see `cargo check`").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_tests_are_told_by_name_and_passing_ones_are_counted() {
        let said = "
        FAIL [   0.104s] (1/2) occ-testkit::resources mutation::i3_b
        FAIL [   0.104s] (2/2) occ-work::queue i4_a
     TIMEOUT [ 180.002s] (─────) occ-work::queue i4_c
     Summary [   0.208s] 12 tests run: 10 passed, 2 failed, 3 skipped
        FAIL [   0.104s] (2/2) occ-work::queue i4_a
error: test run failed";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(Outcome::of_failure(said), Outcome::Failed(names(&["i3_b", "i4_a"])));
        let hung = "     TIMEOUT [ 180.002s] (─────) occ-work::queue i4_c";
        assert_eq!(Outcome::of_failure(hung), Outcome::OnlyHung(names(&["i4_c"])));
        assert_eq!(passed(said), 12);
        assert_eq!(passed(""), 0);
        assert_eq!(first_error(said), "error: test run failed");
    }
}
