//! Where a Namespace is in its life.

use occ_model::namespace::NamespaceStatus;

use crate::parts::Tone;

/// A status as a tone and a word.
pub fn status(status: NamespaceStatus) -> (Tone, &'static str) {
    match status {
        NamespaceStatus::Provisioning => (Tone::Info, "Provisioning"),
        NamespaceStatus::Ready => (Tone::Ok, "Ready"),
        NamespaceStatus::Failed => (Tone::Bad, "Failed"),
        NamespaceStatus::Deleting => (Tone::Info, "Deleting"),
    }
}
