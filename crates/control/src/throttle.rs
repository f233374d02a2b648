//! Failed tries to be recognised, bounded per address and per account.
//!
//! What is right is always let in: tokens and keys are 256 random bits, so that no bound is needed against guessing one, and
//! nobody can lock somebody else out by failing in their name. The bound keeps a flood of failures from costing more than a look.
//! One-time links, which are the way back in, have a lane of their own: failing keys never use it up.

use std::net::IpAddr;

use occ_model::problem::Code;
use occ_store::Store;
use occ_store::rate_limit::Limit;

use crate::error::{Error, Result};

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A one-time sign-in link.
    Link,
    /// A service key.
    Key,
}

impl Lane {
    const fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Key => "key",
        }
    }

    /// Failures a minute that are answered as such.
    const fn limit(self) -> Limit {
        match self {
            Self::Link => Limit { most: 10, window: 60 },
            Self::Key => Limit { most: 30, window: 60 },
        }
    }
}

/// Counts a failure from `address` (unknown addresses share one count), at `account` where the try named one. `RATE_LIMITED` when
/// there were too many; else `Ok`, and the caller says what was wrong.
pub async fn failed(store: &Store, lane: Lane, address: Option<IpAddr>, account: Option<&str>) -> Result<()> {
    let from = format!("{}/from/{}", lane.name(), address.map_or_else(|| "unknown".to_owned(), network));
    let mut allowed = store.count_failure(&from, lane.limit()).await?;
    // Accounts are what the caller says they are: an address that failed too often names no more of them.
    if let Some(account) = account.filter(|_| allowed) {
        allowed = store.count_failure(&format!("{}/of/{account}", lane.name()), lane.limit()).await?;
    }
    if allowed {
        return Ok(());
    }
    Err(Error::refused(Code::RateLimited, "Too many tries failed. Wait a minute, then try again."))
}

/// The address as it is counted: whoever has one IPv6 address has a whole /64 of them.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn neighbours_in_one_ipv6_network_are_counted_together() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }
}
