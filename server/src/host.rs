//! Whether the machine of this data folder is the one that the Installation's Agents live on (see `occ_control::host`). The folder
//! carries an id of its own, so that a copy of the database's URL and of the keys makes no second such machine.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use occ_control::host;
use occ_store::Store;
use occ_store::installation::InstallationRow;
use uuid::Uuid;

/// The file that holds the id.
const FILE: &str = "host-id";

/// The Installation's Agents live in another data folder.
#[derive(Debug, thiserror::Error)]
#[error(
    "the Agents of this Installation live on the machine with another data folder than {}; nothing was started\n  \
     next: run `occ serve` there, or bring that folder to this machine and point data_dir (OCC_DATA_DIR) at it",
    .0.display()
)]
pub struct Elsewhere(PathBuf);

/// The id of this data folder, to which the Installation is bound; at its first start it is bound.
pub async fn settle(store: &Store, installation: &InstallationRow, data: &Path) -> anyhow::Result<String> {
    let path = data.join(FILE);
    let unusable = || format!("{} cannot be used", path.display());
    let own = match (known(&path).with_context(unusable)?, host::bound(store).await?) {
        (Some(own), _) => own,
        (None, Some(_)) => return Err(Elsewhere(data.to_owned()).into()),
        (None, None) => make(&path).with_context(unusable)?,
    };
    if host::bind(store, installation, &own).await? == own { Ok(own) } else { Err(Elsewhere(data.to_owned()).into()) }
}

/// Whether the Installation is bound to another data folder than this one. Looks only.
pub async fn is_elsewhere(store: &Store, data: &Path) -> anyhow::Result<bool> {
    let path = data.join(FILE);
    let own = known(&path).with_context(|| format!("{} cannot be used", path.display()))?;
    Ok(host::bound(store).await?.is_some_and(|bound| own.as_ref() != Some(&bound)))
}

fn known(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) if text.trim().is_empty() => Err(io::Error::new(ErrorKind::InvalidData, "the file is empty")),
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a new id. Of two processes that begin at once one does; both have its id.
fn make(path: &Path) -> io::Result<String> {
    let made = Uuid::now_v7().simple().to_string();
    let beside = path.with_extension(&made);
    let mut file = fs::File::create(&beside)?;
    file.write_all(format!("{made}\n").as_bytes())?;
    // The database is bound to it right after: it must outlive a loss of power.
    file.sync_all()?;
    let linked = fs::hard_link(&beside, path);
    fs::remove_file(&beside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => {
            fs::File::open(path.parent().unwrap_or(path))?.sync_all()?;
            Ok(known(path)?.unwrap_or(made))
        }
    }
}
