//! The key files: there, closed, and enough of them for every value in the database.

use occ_control::keyfiles::{self, KeyFileError};
use occ_store::inspect;

use super::database::Found;
use super::report::{Report, causes};
use crate::config::Config;

/// Looks at them.
pub async fn look(config: &Config, report: &mut Report, found: Option<&Found>) {
    let folder = config.data_dir().join("keys");
    if found.is_none() && !folder.exists() {
        return; // Nothing was made yet; that is said already.
    }
    let ids = match keyfiles::check(&folder) {
        Ok(ids) => ids,
        Err(error) => {
            let next = match error {
                KeyFileError::Unknown(_) => "move it to where your backups are",
                _ => {
                    "without it no Secret can be opened: restore the folder from your backup; a new one would open nothing"
                }
            };
            return report.wrong_at(causes(&error), next);
        }
    };
    let Some(found) = found else { return };
    let used = async { inspect::ring_keys(&mut found.store.read().await?).await };
    let Ok(used) = used.await else { return };
    let missing: Vec<_> = used.iter().filter(|(id, _)| !ids.contains(id)).collect();
    for (id, count) in &missing {
        report.wrong_at(
            format!("{count} Secret values are wrapped by the key {id}, which is not in {}/ring", folder.display()),
            format!("restore the file ring/{id} from your backup, or set those Secrets' values again"),
        );
    }
    let older: i64 = used.iter().filter(|(id, _)| ids.first() != Some(id)).map(|(_, count)| count).sum();
    if missing.is_empty() && older > 0 {
        report.note(format!("{older} Secret values are wrapped by an older key"), "run `occ keyring rewrap`");
    } else if missing.is_empty() {
        report.fine("the key ring opens every Secret");
    }
}
