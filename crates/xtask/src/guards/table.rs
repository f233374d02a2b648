//! The table of guards, `crates/xtask/guards.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

/// Where the table is, from the workspace's top.
const FILE: &str = "crates/xtask/guards.toml";

/// The whole table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Every guard.
    #[serde(rename = "guard")]
    pub guards: Vec<Guard>,
    /// Invariants with tests but without a guard here, and where they are proved.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table's own test"))]
    #[serde(default)]
    pub elsewhere: BTreeMap<String, String>,
}

/// One guarding line, and the tests that must notice when it is gone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// Its name on the command line.
    pub name: String,
    /// What it guards.
    pub invariants: Vec<String>,
    /// The same in a sentence.
    pub says: String,
    /// The file that it is in.
    pub file: String,
    /// Its text, which stands there once.
    pub take: String,
    /// What stands there without it; it compiles.
    pub put: String,
    /// A second net behind it, taken out with it: else nothing could be seen.
    #[serde(default)]
    pub second: Option<Edit>,
    /// Which tests must notice, as a nextest expression.
    pub tests: String,
    /// The package of these tests.
    pub package: String,
    /// cargo's arguments for its targets that hold these tests.
    pub targets: Vec<String>,
}

/// A text of a file and what takes its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    pub file: String,
    /// What is taken out.
    pub take: String,
    /// What is put there.
    pub put: String,
}

impl Table {
    /// Reads it from the workspace's folder.
    pub fn read(workspace: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(workspace.join(FILE)).with_context(|| format!("cannot read {FILE}"))?;
        toml::from_str(&text).with_context(|| format!("{FILE} is no table of guards"))
    }

    /// The guards of these names in the table's order, or all.
    pub fn chosen(&self, names: &[String]) -> anyhow::Result<Vec<&Guard>> {
        if let Some(unknown) = names.iter().find(|name| !self.guards.iter().any(|guard| guard.name == **name)) {
            bail!("there is no guard {unknown}; `cargo xtask guards --list` names them");
        }
        Ok(self.guards.iter().filter(|guard| names.is_empty() || names.contains(&guard.name)).collect())
    }
}

impl Guard {
    /// Everything that is taken out.
    pub fn edits(&self) -> Vec<Edit> {
        let own = Edit { file: self.file.clone(), take: self.take.clone(), put: self.put.clone() };
        std::iter::once(own).chain(self.second.clone()).collect()
    }
}

impl Edit {
    /// `text` without the guard. The text to be taken must stand there exactly once.
    pub fn apply(&self, text: &str) -> anyhow::Result<String> {
        match text.matches(&self.take).count() {
            1 => Ok(text.replacen(&self.take, &self.put, 1)),
            found => bail!("{} holds this {found} times, not once: {}", self.file, self.take),
        }
    }
}
