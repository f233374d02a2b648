//! What is measured: every metric's name, kind, labels and meaning, in one closed table. Whoever records one names its row here;
//! dashboards, alert rules and `docs/metrics.md` are checked against it.
//!
//! No label names a tenant, a person or an Agent; the one exception is chosen by the Installation (`metrics.per_namespace`).

/// How a metric counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows while the process lives.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution of durations, seconds.
    Histogram,
}

impl Kind {
    /// Its word in the Prometheus text format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, with its unit as the field has it.
    pub name: &'static str,
    /// How it counts.
    pub kind: Kind,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub says: &'static str,
}

macro_rules! metrics {
    ($($name:ident = $kind:ident $text:literal [$($label:literal)*] $says:literal;)*) => {
        $(
            #[doc = $says]
            pub const $name: Metric =
                Metric { name: $text, kind: Kind::$kind, labels: &[$($label),*], says: $says };
        )*
        /// Every one, in the order of the document.
        pub const METRICS: &[Metric] = &[$($name),*];
    };
}

metrics! {
    BUILD_INFO = Gauge "occ_build_info" ["version"] "Always 1; says which version runs.";
    HTTP_REQUESTS = Counter "occ_http_requests_total" ["door" "operation" "status"]
        "Answered requests, by door (`api`, `console`), operation and class of the status.";
    HTTP_SECONDS = Histogram "occ_http_request_duration_seconds" ["door" "operation"]
        "From a request's head to its answer's head. Streams count until they begin.";
    STREAMS = Gauge "occ_streams_open" ["stream"] "Open streams: `chat`, `logs`, `events`.";
    TURNS = Counter "occ_turns_total" ["outcome"]
        "Turns through OCC's own chat, by how they ended: `done`, `failed`, `refused`, `left`.";
    TURN_FIRST_SECONDS = Histogram "occ_turn_first_event_seconds" [] "From a message to the first event of its answer.";
    WORK_STEPS = Counter "occ_work_steps_total" ["kind" "outcome"]
        "Claims that ended here: `ended`, `deferred`, `retried`, `lost`.";
    WORK_SECONDS = Histogram "occ_work_step_duration_seconds" ["kind"] "From a claim to its end.";
    WORK_WAIT_SECONDS = Histogram "occ_work_wait_seconds" ["kind"] "From the time at which an item was due to its claim.";
    WORK_SLOTS = Gauge "occ_work_slots" ["state"] "Slots of this process: `all`, `busy`.";
    DEPLOYMENTS = Counter "occ_deployments_ended_total" ["kind" "phase" "code"]
        "Deployments that came into service or ended here, with the failure's code.";
    DEPLOYMENT_STEP_SECONDS = Histogram "occ_deployment_step_duration_seconds" ["step"] "How long each step of a deployment took.";
    INTERRUPTION_SECONDS = Histogram "occ_replacement_interruption_seconds" [] "How long a switch left no revision that takes turns.";
    DRIVER_CALLS = Counter "occ_driver_calls_total" ["driver" "method" "outcome"] "Calls to the runtime target.";
    DRIVER_SECONDS = Histogram "occ_driver_call_duration_seconds" ["driver" "method"] "How long they took.";
    DATABASE_UP = Gauge "occ_database_up" [] "1 where the database answered this scrape; the gauges below are absent where it did not.";
    DATABASE_CONNECTIONS = Gauge "occ_database_connections" ["state"] "The pool: `most`, `open`, `idle`.";
    WORK_UNFINISHED = Gauge "occ_work_unfinished" ["state"] "Items that are `queued` or `running`.";
    WORK_OLDEST_DUE_SECONDS = Gauge "occ_work_oldest_due_seconds" [] "How long the oldest item that no controller takes has been due.";
    WORK_ABANDONED = Gauge "occ_work_abandoned" [] "Items whose lease ran out more than 30 s ago.";
    AGENTS = Gauge "occ_agents" ["desired" "health"] "Agents, by what is wanted and how they are; with `namespace` where the Installation chose so.";
    DEPLOYMENTS_IN_PROGRESS = Gauge "occ_deployments_in_progress" [] "Deployments between admission and their end.";
    ROUTES_CLOSED = Gauge "occ_routes_closed" [] "Agents that should serve and whose route is closed.";
    RESIDENT_BYTES = Gauge "occ_process_resident_memory_bytes" [] "Memory of this process.";
    CPU_SECONDS = Counter "occ_process_cpu_seconds_total" [] "Processor time of this process, user and system.";
    OPEN_FILES = Gauge "occ_process_open_fds" [] "Open files of this process.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_well_formed_and_single() {
        let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            assert!(metric.name.starts_with("occ_") && metric.says.ends_with('.'), "{}", metric.name);
            assert_eq!(metric.name.ends_with("_total"), metric.kind == Kind::Counter, "{}", metric.name);
            if metric.kind == Kind::Histogram {
                assert!(metric.name.ends_with("_seconds"), "{}", metric.name);
            }
        }
    }
}
