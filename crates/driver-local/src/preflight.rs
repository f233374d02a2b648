//! Looking for everything the driver needs, before it is needed.

use occ_driver::{Preflight, PreflightItem};
use occ_supervisor::process::{Capacity, WANTED};
use occ_supervisor::sandbox::{Isolation, check};

use crate::LocalDriver;

impl LocalDriver {
    pub(crate) async fn look_around(&self) -> Preflight {
        let mut items = vec![self.walls().await];
        for (name, version) in self.pinned().0 {
            items.push(item(
                format!("{name} {version} is installed"),
                self.runtimes.installed(&name, &version).is_some(),
                "Run runtimes/install.sh, or wait until it has finished.",
            ));
        }
        let memory = Capacity::now().is_ok_and(|capacity| capacity.admit(WANTED).is_ok());
        items.push(item(
            "memory for one more gateway".to_owned(),
            memory,
            "Stop an Agent, or give the machine more memory.",
        ));
        Preflight { items }
    }

    async fn walls(&self) -> PreflightItem {
        if self.config.isolation == Isolation::None {
            let next = "Agents run without walls by configuration; set local.isolation to \"bubblewrap\".";
            return item("a sandbox for Agents".to_owned(), false, next);
        }
        let stands = check(self.config.isolation, &self.config.program).await;
        let next = "Install bubblewrap and allow unprivileged user namespaces.";
        item("a sandbox for Agents".to_owned(), stands.is_ok(), next)
    }
}

fn item(what: String, ok: bool, next_step: &str) -> PreflightItem {
    PreflightItem { what, ok, next_step: (!ok).then(|| next_step.to_owned()) }
}
