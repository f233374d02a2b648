//! Looking for everything the driver needs, before it is needed.

use std::path::Path;

use occ_driver::{Preflight, PreflightItem};
use occ_supervisor::process::{Capacity, WANTED};
use occ_supervisor::sandbox::{Isolation, check};

use crate::{LocalDriver, walls};

impl LocalDriver {
    pub(crate) async fn look_around(&self) -> Preflight {
        let mut items = vec![self.walls().await];
        items.extend(self.pinned().0.iter().map(|(name, version)| self.runtime(name, version)));
        let memory = Capacity::now().is_ok_and(|capacity| capacity.admit(WANTED).is_ok());
        items.push(item(
            "memory for one more gateway".to_owned(),
            memory,
            "Stop an Agent, or give the machine more memory.",
        ));
        Preflight { items }
    }

    fn runtime(&self, name: &str, version: &str) -> PreflightItem {
        let half = self.runtimes.half_installed(name, version);
        let next = if half {
            "It is only half installed: wait until runtimes/install.sh has finished; where none runs, run it again."
        } else {
            "Run runtimes/install.sh, or wait until it has finished."
        };
        let there = self.runtimes.installed(name, version).is_some();
        item(format!("{name} {version} is installed"), there, next)
    }

    async fn walls(&self) -> PreflightItem {
        let what = "a sandbox for Agents".to_owned();
        if self.config.isolation == Isolation::None {
            let next = "Agents run without walls by configuration; set local.isolation to \"bubblewrap\".";
            return item(what, false, next);
        }
        let stands = check(self.config.isolation, &self.config.program).await;
        item(what, stands.is_ok(), walls::next_step(Path::new("/"), std::env::var_os("PATH")))
    }
}

fn item(what: String, ok: bool, next_step: &str) -> PreflightItem {
    PreflightItem { what, ok, next_step: (!ok).then(|| next_step.to_owned()) }
}
