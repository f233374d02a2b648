//! `cargo xtask fault-points`: the points at which tests stop a worker are in no `occ` that is built by itself. Only `occ-testkit` turns
//! them on, and only for tests may the server depend on it.

use std::process::Command;

use anyhow::bail;

use crate::run::output;

/// As `cargo tree` names it.
const FEATURE: &str = "occ-control feature \"fault-points\"";

/// Fails when a build of the server alone would turn them on.
pub fn check() -> anyhow::Result<()> {
    let tree = output(Command::new("cargo").args([
        "tree",
        "--locked",
        "--package=server",
        "--edges=features,no-dev",
        "--prefix=none",
    ]))?;
    if !tree.contains("occ-control") {
        bail!("the server's tree of features does not hold occ-control: this check sees nothing");
    }
    if tree.lines().any(|line| line.starts_with(FEATURE)) {
        bail!(
            "`occ` would be built with fault points; see who turns them on with `cargo tree -p server -e features,no-dev \
             -i occ-control`"
        );
    }
    println!("no fault points in occ");
    Ok(())
}
