//! Built-in roles: who may do what out of the box. The table is rendered to `docs/roles.txt`, which a test compares.

use std::fmt::Write as _;

use occ_model::operation::{Action as A, Kind as K};

use crate::permission::PermissionSet;

/// A role that comes with the product.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// What it allows: one action list per kind.
    pub grants: &'static [(K, &'static [A])],
}

const EVERYTHING: &[A] =
    &[A::Create, A::Read, A::Update, A::Delete, A::Deploy, A::Operate, A::Administer, A::ReadLogs, A::Use];
const MANAGE: &[A] = &[A::Create, A::Read, A::Update, A::Delete];

/// Every built-in role. Reading the audit log is in `auditor` alone: administering does not imply it.
pub const ROLES: &[BuiltIn] = &[
    BuiltIn {
        name: "installation-admin",
        purpose: "Everything in the Installation but reading the audit log.",
        grants: &[
            (K::Installation, EVERYTHING),
            (K::Namespace, EVERYTHING),
            (K::Configuration, EVERYTHING),
            (K::Secret, EVERYTHING),
            (K::Agent, EVERYTHING),
            (K::Revision, EVERYTHING),
            (K::Deployment, EVERYTHING),
            (K::Work, EVERYTHING),
            (K::Role, EVERYTHING),
            (K::Binding, EVERYTHING),
            (K::Restriction, EVERYTHING),
            (K::Principal, EVERYTHING),
            (K::ServicePrincipal, EVERYTHING),
        ],
    },
    BuiltIn {
        name: "namespace-admin",
        purpose: "Everything in a Namespace, and who may do what there.",
        grants: &[
            (K::Namespace, &[A::Read, A::Update, A::Delete, A::Operate, A::Administer]),
            (K::Configuration, EVERYTHING),
            (K::Secret, EVERYTHING),
            (K::Agent, EVERYTHING),
            (K::Work, &[A::Administer]),
            (K::Role, &[A::Read]),
        ],
    },
    BuiltIn {
        name: "agent-developer",
        purpose: "Builds, deploys and operates Agents; uses Secrets without managing them.",
        grants: &[
            (K::Namespace, &[A::Read]),
            (K::Configuration, MANAGE),
            (K::Secret, &[A::Read, A::Use]),
            (K::Agent, &[A::Create, A::Read, A::Update, A::Delete, A::Deploy, A::Operate, A::ReadLogs, A::Use]),
        ],
    },
    BuiltIn {
        name: "agent-operator",
        purpose: "Stops, starts and restarts Agents, reads logs; changes nothing.",
        grants: &[
            (K::Namespace, &[A::Read]),
            (K::Configuration, &[A::Read]),
            (K::Agent, &[A::Read, A::Operate, A::ReadLogs, A::Use]),
        ],
    },
    BuiltIn {
        name: "viewer",
        purpose: "Sees what is there.",
        grants: &[
            (K::Namespace, &[A::Read]),
            (K::Configuration, &[A::Read]),
            (K::Secret, &[A::Read]),
            (K::Agent, &[A::Read]),
        ],
    },
    BuiltIn { name: "auditor", purpose: "Reads the audit log.", grants: &[(K::Audit, &[A::Read])] },
    BuiltIn {
        name: "secret-manager",
        purpose: "Manages Secrets and who may use them; sees no value.",
        grants: &[
            (K::Namespace, &[A::Read]),
            (K::Secret, &[A::Create, A::Read, A::Update, A::Delete, A::Administer, A::Use]),
        ],
    },
    BuiltIn {
        name: "secret-consumer",
        purpose: "Uses one Secret; given to an Agent's own identity.",
        grants: &[(K::Secret, &[A::Use])],
    },
    BuiltIn {
        name: "controller",
        purpose: "Restores what is already active (reboot, crash, drift); of the built-in service principal.",
        grants: &[
            (K::Namespace, &[A::Read]),
            (K::Configuration, &[A::Read]),
            (K::Secret, &[A::Use]),
            (K::Agent, &[A::Read, A::Deploy, A::Operate]),
        ],
    },
];

impl BuiltIn {
    /// What it allows.
    pub fn permissions(&self) -> PermissionSet {
        self.grants.iter().flat_map(|(kind, actions)| actions.iter().map(|action| (*action, *kind))).collect()
    }
}

/// The table as text: a row per role and kind.
pub fn table() -> String {
    let mut text =
        String::from("# Built-in roles: what each allows, by kind. Generated; see crates/policy/src/builtin.rs\n");
    for role in ROLES {
        let _ = writeln!(text, "\n{}: {}", role.name, role.purpose);
        for (kind, actions) in role.grants {
            let actions: Vec<_> = actions.iter().map(|action| action.as_str()).collect();
            let _ = writeln!(text, "  {:<18} {}", kind.as_str(), actions.join(" "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_table_is_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/roles.txt");
        if std::env::var_os("OCC_UPDATE_SNAPSHOTS").is_some() {
            assert!(std::fs::write(path, table()).is_ok());
        }
        assert_eq!(
            std::fs::read_to_string(path).unwrap_or_default(),
            table(),
            "run with OCC_UPDATE_SNAPSHOTS=1 and read the difference"
        );
    }

    #[test]
    fn only_the_auditor_reads_the_audit_log() {
        let readers: Vec<_> =
            ROLES.iter().filter(|r| r.permissions().contains(A::Read, K::Audit)).map(|r| r.name).collect();
        assert_eq!(readers, ["auditor"]);
    }
}
