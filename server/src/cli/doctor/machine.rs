//! What the local driver needs of this machine: walls, runtimes, memory.

use occ_driver::ComputeDriver;
use occ_driver_local::LocalDriver;
use occ_model::id::InstallationId;

use super::folder::existing;
use super::report::{Report, causes};
use crate::config::Config;
use crate::wiring;

/// A driver that only looks, also on a machine where nothing was made yet.
pub fn driver(config: &Config) -> anyhow::Result<LocalDriver> {
    let local = wiring::local(config, InstallationId::new())?;
    let data = existing(&local.data);
    Ok(LocalDriver::unclaimed(occ_driver_local::LocalConfig { data, ..local })?)
}

/// Looks at it.
pub async fn look(config: &Config, report: &mut Report) {
    let driver = match driver(config) {
        Ok(driver) => driver,
        Err(error) => {
            let next = "make the data directory readable for this user";
            return report.wrong_at(format!("the local driver cannot look around: {}", causes(error.as_ref())), next);
        }
    };
    for item in driver.preflight().await.items {
        match item.next_step.filter(|_| !item.ok) {
            Some(next) => report.wrong_at(format!("this is needed and not so: {}", item.what), next),
            None => report.fine(item.what),
        }
    }
}
