//! `cargo xtask wasm-tree`: server code must not reach the browser. `app` has it behind its `ssr` feature only, and one
//! careless dependency would undo that: a larger download, a build that fails on getrandom, or secrets' code in public.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::bail;

use crate::run::output;

/// Crates, or families of crates (`name*`), that have no place there.
const SERVER_ONLY: &[&str] = &[
    "argon2",
    "aes-gcm",
    "aws-lc*",
    "axum*",
    "fs4",
    "getrandom",
    "hyper*",
    "jsonschema",
    "kube*",
    "leptos_axum",
    "mio",
    "occ-control",
    "occ-driver*",
    "occ-openclaw",
    "occ-postgres",
    "occ-store",
    "occ-supervisor",
    "occ-test*",
    "occ-work",
    "openssl*",
    "rand",
    "reqwest",
    "ring",
    "rustix",
    "rustls*",
    "socket2",
    "sqlx*",
    "tokio*",
    "tower",
    "tower-*",
    "utoipa-swagger-ui",
];

/// Fails with the list of what should not be there.
pub fn check() -> anyhow::Result<()> {
    let tree = output(Command::new("cargo").args([
        "tree",
        "--locked",
        "--package=frontend",
        "--target=wasm32-unknown-unknown",
        "--edges=normal,no-proc-macro",
        "--prefix=none",
        "--format={p}",
    ]))?;
    let crates = names(&tree);
    let wrong: Vec<&str> = crates.iter().copied().filter(|name| server_only(name)).collect();
    if !wrong.is_empty() {
        bail!(
            "the WASM's dependency tree holds server code: {}; see who brings it with `cargo tree -p frontend --target \
             wasm32-unknown-unknown -e normal -i {}`",
            wrong.join(", "),
            wrong[0]
        );
    }
    println!("wasm tree clean: {} crates", crates.len());
    Ok(())
}

/// Names of crates in the output of `cargo tree`.
fn names(tree: &str) -> BTreeSet<&str> {
    tree.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

fn server_only(name: &str) -> bool {
    SERVER_ONLY.iter().any(|rule| match rule.strip_suffix('*') {
        Some(family) => name.starts_with(family),
        None => name == *rule,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_single_names_are_told_apart() {
        assert!(server_only("sqlx-postgres") && server_only("tokio") && server_only("getrandom"));
        assert!(!server_only("random_word") && !server_only("ringbuf") && !server_only("leptos"));
    }
}
