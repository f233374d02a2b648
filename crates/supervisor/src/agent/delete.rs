//! Removing everything of the Agent. The fence stays.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use super::core::{Agent, Work};
use super::end::end;
use crate::files::{Persisted, Place};
use crate::protocol::Outcome;
use crate::{Error, Result};

/// See `ComputeDriver::delete_agent`.
pub(super) async fn delete(agent: &Agent, work: &mut Work, grace: Duration) -> Outcome<()> {
    agent.door.close();
    end(agent, work, grace).await?;
    // Checked again under the lock: never a folder without our mark.
    if super::folder::Folder::find(&agent.place, agent.key)?.is_some() {
        let gone = gone(&agent.place, &agent.key.agent.to_string());
        remove(&gone)?;
        // In one step: half a folder is never found under the Agent's name.
        fs::rename(agent.files.root(), &gone).map_err(Error::file("move away", agent.files.root()))?;
        remove(&gone)?;
    }
    remove(agent.files.memory())?;
    super::rooms::remove_limits(agent);
    agent.set_deleted();
    work.persisted = Persisted::default();
    Ok(())
}

fn gone(place: &Place, agent: &str) -> std::path::PathBuf {
    place.agents().join(format!(".{agent}.gone"))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::file("remove", folder)(error)),
        _ => Ok(()),
    }
}
