//! What the driver is told by the Installation's configuration.

use std::path::PathBuf;

use occ_driver::{AgentKey, DriverError, Result};
use occ_model::id::InstallationId;
use occ_supervisor::agent::{AgentArgs, Runtimes};
use occ_supervisor::files::Place;
use occ_supervisor::sandbox::{Isolation, check};

use crate::{LocalDriver, installation};

/// Configuration of the `local` driver.
#[derive(Clone, Debug)]
pub struct LocalConfig {
    /// The Installation that the data folder belongs to.
    pub installation: InstallationId,
    /// The data folder of this machine; it exists.
    pub data: PathBuf,
    /// Where the runtimes are installed (see `runtimes/install.sh`).
    pub runtimes: PathBuf,
    /// The program that is started as `… runtime agent`: `occ` itself.
    pub program: PathBuf,
    /// How Agents are kept apart.
    pub isolation: Isolation,
}

impl LocalConfig {
    /// Nothing is installed and no supervisor starts.
    #[cfg(test)]
    pub(crate) fn for_tests(data: &std::path::Path) -> Self {
        Self {
            installation: InstallationId::new(),
            data: data.to_owned(),
            runtimes: data.to_owned(),
            program: "/bin/false".into(),
            isolation: Isolation::None,
        }
    }

    /// What the supervisor of one Agent is told.
    pub(crate) fn args(&self, key: AgentKey) -> AgentArgs {
        AgentArgs {
            data: self.data.clone(),
            runtimes: self.runtimes.clone(),
            program: Some(self.program.clone()),
            installation: key.installation,
            namespace: key.namespace,
            agent: key.agent,
            isolation: self.isolation,
        }
    }
}

impl LocalDriver {
    /// Opens the data folder for the Installation and tries the walls. A folder of another Installation is refused and left alone.
    pub async fn open(config: LocalConfig) -> Result<Self> {
        let place = Place::new(&config.data).map_err(|error| DriverError::fault("open the data folder", error))?;
        installation::claim(place.data(), config.installation)?;
        place.make().map_err(|error| DriverError::fault("make the folders for Agents", error))?;
        let standing = match check(config.isolation, &config.program).await {
            Ok(standing) => Some(standing),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "Agents cannot be kept apart here");
                None
            }
        };
        let runtimes = Runtimes::new(&config.runtimes);
        Ok(Self { config, place, runtimes, standing })
    }

    /// For looking only (`occ doctor`): neither claims the data folder nor makes anything in it, and tries no walls. Nothing can be
    /// deployed by it.
    pub fn unclaimed(config: LocalConfig) -> Result<Self> {
        let place = Place::new(&config.data).map_err(|error| DriverError::fault("open the data folder", error))?;
        let runtimes = Runtimes::new(&config.runtimes);
        Ok(Self { config, place, runtimes, standing: None })
    }
}
