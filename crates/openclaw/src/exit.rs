//! What the end of a gateway means: from its exit code and the last lines of its log to a failure that people see.
//!
//! Measured on OpenClaw 2026.9.6: 0 is clean; 78 is configuration or state and never gets better by itself; 1 is a port, a bind, a
//! secret, or anything else. The log is read for closed markers only; none of its text goes further.

use occ_model::failure::FailureCode;

/// Texts by which a state directory that another process owns is told apart (exit 78, or 1 after five minutes of waiting). The last
/// two are said when each process has a `/tmp` of its own.
const STATE_MARKERS: [&str; 5] = [
    "StateDatabaseCoordinatorContentionError",
    "another OpenClaw process owns",
    "failed to acquire gateway state ownership",
    "gateway.maintenance_required",
    "sqlite-maintenance-unavailable",
];
/// Said at once, five minutes before a gateway gives up.
const WAITING_MARKER: &str = "waiting for gateway-lifecycle ownership";
const DISK_MARKERS: [&str; 3] = ["ENOSPC", "no space left on device", "database or disk is full"];
const PORT_MARKERS: [&str; 3] = ["EADDRINUSE", "address already in use", "is already in use"];
const SECRET_MARKERS: [&str; 1] = ["required secrets are unavailable"];

/// The failure behind a gateway's end while it started or served. `code` is absent when a signal ended it; `log_tail` is the end of
/// its structured log, newest last: 32 KiB, since the runtime adds a long diagnosis of its own behind the cause.
pub fn classify(code: Option<i32>, log_tail: &str) -> FailureCode {
    let tail = log_tail.to_ascii_lowercase();
    let says = |markers: &[&str]| markers.iter().any(|marker| tail.contains(&marker.to_ascii_lowercase()));
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

/// Whether this line of its log says that the gateway waits for a state directory that another process owns. It would wait five
/// minutes; who started it need not.
pub fn waits_for_state(line: &str) -> bool {
    line.contains(WAITING_MARKER)
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
        let port = "Gateway failed to start: another gateway instance is already listening on ws://127.0.0.1:18710 | listen EADDRINUSE: \
                    address already in use 127.0.0.1:18710";
        assert_eq!(classify(Some(1), port), FailureCode::PortUnavailable);
        let secret = "Gateway failed to start: Startup failed: required secrets are unavailable.";
        assert_eq!(classify(Some(1), secret), FailureCode::SecretUnavailable);
        let state = "Gateway failed to start: failed to acquire gateway state ownership; waited 300003ms for gateway-lifecycle ownership";
        assert_eq!(classify(Some(1), state), FailureCode::StateInUse);
        assert_eq!(classify(Some(1), "something else"), FailureCode::GatewayCrashloop);
        assert_eq!(classify(None, ""), FailureCode::GatewayCrashloop);
        assert_eq!(classify(Some(1), "write failed: ENOSPC: no space left"), FailureCode::DiskFull);
    }

    #[test]
    fn waiting_for_the_state_is_known_early() {
        assert!(waits_for_state(
            "waiting for gateway-lifecycle ownership held by another OpenClaw process, up to 300 s"
        ));
        assert!(!waits_for_state("gateway ready"));
    }
}
