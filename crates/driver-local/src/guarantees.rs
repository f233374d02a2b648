//! What this driver guarantees on this machine, in our own words. Honest: what does not hold says so.

use std::collections::BTreeMap;

use occ_model::installation::Guarantee;

use crate::LocalDriver;

impl LocalDriver {
    pub(crate) fn guaranteed(&self) -> BTreeMap<String, Guarantee> {
        let standing = self.standing;
        let outer = standing.is_some_and(|standing| standing.outer);
        let inner = standing.is_some_and(|standing| standing.inner);
        let own_uid = standing.is_some_and(|standing| standing.own_uid);
        let limits = standing.is_some_and(|standing| standing.limits);
        let topics = [
            (
                "Isolation",
                match (outer, own_uid) {
                    (true, true) => "Each Agent has its own user, mounts and processes.",
                    (true, false) => "Each Agent has its own mounts and processes; all run as the user of OCC.",
                    (false, _) => "Agents are not kept apart from this machine.",
                },
                outer,
            ),
            (
                "Commands of the model",
                if inner {
                    "Commands see the workspace only: no secrets, no configuration, no network."
                } else {
                    "Commands can read what the Agent's gateway can read, its model key included."
                },
                inner,
            ),
            (
                "Model key (dedicated)",
                "The key is a variable of the Harness's process; commands of the model cannot see it.",
                inner,
            ),
            (
                "Limits",
                if limits {
                    "Memory and processes of each Agent are limited."
                } else {
                    "Memory and processes are not limited."
                },
                limits,
            ),
            ("Egress", "Gateways reach every address that this machine reaches; egress is not filtered.", false),
            ("Replacement", "State has one writer: a switch interrupts service, and the interruption is shown.", true),
        ];
        topics
            .into_iter()
            .map(|(topic, text, holds)| (topic.to_owned(), Guarantee { text: text.to_owned(), holds }))
            .collect()
    }
}
