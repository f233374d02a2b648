//! Finding what carries our marks.

use occ_driver::{DriverError, Owned, Result};
use occ_supervisor::files::read_mark;

use crate::LocalDriver;

impl LocalDriver {
    /// Agents' folders with a mark. Anything else there is nobody's business.
    pub(crate) fn owned(&self) -> Result<Vec<Owned>> {
        let fault = |error| DriverError::fault("list Agents' folders", error);
        let mut owned = Vec::new();
        for entry in std::fs::read_dir(self.place.agents()).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let Some(agent) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if let Ok(Some(mark)) = read_mark(&self.place.agent(agent))
                && mark.key.agent == agent
            {
                owned.push(Owned { installation: mark.key.installation, agent });
            }
        }
        Ok(owned)
    }
}
