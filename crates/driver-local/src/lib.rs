//! The `local` driver: Agents on this machine, one detached supervisor each.
//!
//! It does nothing on an Agent's folder itself: it finds the Agent's supervisor by its socket, or starts one, and asks (see
//! `occ_supervisor::protocol`). Supervisors survive this process and are found again; two processes that use one data folder find
//! the same ones. The data folder belongs to one Installation.

mod ask;
mod config;
mod driver;
mod guarantees;
mod installation;
mod namespace;
mod observe;
mod preflight;
mod prepare;
mod spawn;
mod supervisors;
mod sweep;
mod translate;
mod versions;
mod walls;

pub use config::LocalConfig;
pub use installation::WrongInstallation;
pub use occ_supervisor::sandbox::Isolation;
pub use supervisors::Supervisor;

use occ_supervisor::agent::Runtimes;
use occ_supervisor::files::Place;
use occ_supervisor::sandbox::Standing;

/// The driver.
pub struct LocalDriver {
    config: LocalConfig,
    place: Place,
    runtimes: Runtimes,
    /// What the walls were found to be when the driver was made; `None`: they do not stand.
    standing: Option<Standing>,
}
