//! Removing everything of the Agent. The fence stays.

use std::fs;
use std::time::Duration;

use super::core::{Agent, Work};
use super::end::end;
use super::folder::Folder;
use crate::Error;
use crate::files::{Persisted, Place, forget_all, remove_tree_but_last};
use crate::protocol::Outcome;

/// See `ComputeDriver::delete_agent`.
pub(super) async fn delete(agent: &Agent, work: &mut Work, grace: Duration) -> Outcome<()> {
    end(agent, work, grace).await?;
    let gone = gone(&agent.place, &agent.key.agent.to_string());
    // The mark goes last: its number is given to no other Agent while a file of this one is left.
    let mark = agent.files.mark();
    // What an earlier deletion left half-way.
    remove_tree_but_last(&gone, &mark)?;
    // Checked again under the lock: never a folder without our mark.
    if Folder::find(&agent.place, agent.key)?.is_some() {
        // In one step: half a folder is never found under the Agent's name.
        fs::rename(agent.files.root(), &gone).map_err(Error::file("move away", agent.files.root()))?;
        remove_tree_but_last(&gone, &mark)?;
    }
    forget_all(&agent.files)?;
    super::rooms::remove_limits(agent);
    agent.set_deleted();
    work.persisted = Persisted::default();
    Ok(())
}

fn gone(place: &Place, agent: &str) -> std::path::PathBuf {
    place.agents().join(format!(".{agent}.gone"))
}
