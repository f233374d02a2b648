//! What the end of a gateway means: from its exit code and the last lines of its log to a failure that people see.
//!
//! Measured on OpenClaw 2026.9.6: 0 is clean; 78 is configuration or state and never gets better by itself; 1 is a port, a bind, a
//! secret, or anything else. The log is read for closed markers only; none of its text goes further.

use occ_model::failure::FailureCode;

/// Texts by which a second process on one state directory is told apart from a refused configuration (both exit 78). The last two are
/// said when each process has a `/tmp` of its own.
const STATE_MARKERS: [&str; 5] = [
    "StateDatabaseCoordinatorContentionError",
    "another OpenClaw process owns",
    "gateway already running",
    "gateway.maintenance_required",
    "sqlite-maintenance-unavailable",
];
const DISK_MARKERS: [&str; 3] = ["ENOSPC", "no space left on device", "database or disk is full"];
const PORT_MARKERS: [&str; 3] = ["EADDRINUSE", "address already in use", "is already in use"];
const SECRET_MARKERS: [&str; 5] = [
    "SecretRefResolutionError",
    "SecretProviderResolutionError",
    "secrets.provider_degraded",
    "required secrets are unavailable",
    "secret reference",
];

/// The failure behind a gateway's end while it started or served. `code` is absent when a signal ended it; `log_tail` is the end of
/// its structured log, newest last.
pub fn classify(code: Option<i32>, log_tail: &str) -> FailureCode {
    let says = |markers: &[&str]| {
        let tail = log_tail.to_ascii_lowercase();
        markers.iter().any(|marker| tail.contains(&marker.to_ascii_lowercase()))
    };
    if says(&DISK_MARKERS) {
        return FailureCode::DiskFull;
    }
    match code {
        Some(78) if says(&STATE_MARKERS) => FailureCode::StateInUse,
        Some(78) => FailureCode::ConfigurationRejectedByRuntime,
        Some(1) if says(&PORT_MARKERS) => FailureCode::PortUnavailable,
        Some(1) if says(&SECRET_MARKERS) => FailureCode::SecretUnavailable,
        Some(1) if says(&STATE_MARKERS) => FailureCode::StateInUse,
        _ => FailureCode::GatewayCrashloop,
    }
}

/// Whether starting again may help at all. Exit 78 never does, except that a state in use becomes free.
pub fn may_retry(failure: FailureCode) -> bool {
    matches!(failure, FailureCode::StateInUse | FailureCode::PortUnavailable | FailureCode::GatewayCrashloop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_78_is_configuration_unless_the_state_is_in_use() {
        assert_eq!(classify(Some(78), "Config invalid"), FailureCode::ConfigurationRejectedByRuntime);
        let owned = "StateDatabaseCoordinatorContentionError: another OpenClaw process owns gateway-lifecycle";
        assert_eq!(classify(Some(78), owned), FailureCode::StateInUse);
        assert_eq!(classify(Some(78), "{\"event\":\"gateway.maintenance_required\"}"), FailureCode::StateInUse);
        assert!(!may_retry(FailureCode::ConfigurationRejectedByRuntime));
        assert!(may_retry(FailureCode::StateInUse));
    }

    #[test]
    fn exit_1_is_told_apart_by_the_log() {
        assert_eq!(classify(Some(1), "listen EADDRINUSE: address already in use"), FailureCode::PortUnavailable);
        assert_eq!(classify(Some(1), "SecretRefResolutionError: file"), FailureCode::SecretUnavailable);
        assert_eq!(classify(Some(1), "something else"), FailureCode::GatewayCrashloop);
        assert_eq!(classify(None, ""), FailureCode::GatewayCrashloop);
        assert_eq!(classify(Some(1), "write failed: ENOSPC: no space left"), FailureCode::DiskFull);
    }
}
