//! The data folder carries the id of its Installation; another one is refused.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use occ_driver::{DriverError, Result};
use occ_model::id::InstallationId;
use occ_supervisor::files::replace_file;

/// The file that holds the id.
const FILE: &str = "installation-id";

/// The data folder belongs to somebody else.
#[derive(Debug, thiserror::Error)]
#[error("the data folder belongs to {found}, not to {wanted}; point OCC at its own folder or database")]
pub struct WrongInstallation {
    /// Whose it is.
    pub found: String,
    /// Who asked.
    pub wanted: InstallationId,
}

/// Writes the id into a new folder, or checks that it is there.
pub(crate) fn claim(data: &Path, wanted: InstallationId) -> Result<()> {
    let path = data.join(FILE);
    let fault = |source| DriverError::fault("read the Installation of the data folder", source);
    match fs::read_to_string(&path) {
        Ok(text) if text.trim() == wanted.to_string() => Ok(()),
        Ok(text) => {
            let found = text.trim().chars().filter(char::is_ascii_graphic).take(64).collect();
            Err(fault(Box::new(WrongInstallation { found, wanted }) as Box<dyn std::error::Error + Send + Sync>))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            replace_file(&path, format!("{wanted}\n").as_bytes(), 0o644).map_err(|error| fault(error.into()))
        }
        Err(error) => Err(fault(error.into())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn i14_a_folder_of_another_installation_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (InstallationId::new(), InstallationId::new());
        claim(folder.path(), theirs).unwrap();
        claim(folder.path(), theirs).unwrap();
        let error = claim(folder.path(), ours).unwrap_err();
        let DriverError::Fault { source, .. } = error else { unreachable!("a fault") };
        assert!(source.downcast_ref::<WrongInstallation>().is_some());
    }
}
