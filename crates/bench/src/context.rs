//! What every benchmark is given.

use std::path::PathBuf;
use std::time::Duration;

/// Places, and how much is measured.
#[derive(Clone, Debug)]
pub struct Context {
    /// Databases and data.
    pub dir: PathBuf,
    /// The release build of `occ`.
    pub occ: PathBuf,
    /// The release build of the site.
    pub site: PathBuf,
    /// Only to show that it runs.
    pub quick: bool,
}

impl Context {
    /// An amount, or a small one.
    pub fn amount(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// How long one measurement goes on.
    pub fn span(&self, seconds: u64) -> Duration {
        if self.quick { Duration::from_secs(2) } else { Duration::from_secs(seconds) }
    }

    /// A pause, or a shorter one.
    pub fn pause(&self, full: Duration, quick: Duration) -> Duration {
        if self.quick { quick } else { full }
    }

    /// Seconds from the environment.
    pub fn seconds(&self, variable: &str, full: u64) -> Duration {
        let given = std::env::var(variable).ok().and_then(|text| text.parse().ok());
        Duration::from_secs(given.unwrap_or(if self.quick { 5 } else { full }))
    }
}
