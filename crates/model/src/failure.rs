//! Failures of deployments: a closed list, each with a cause and a next step that a person can take.

use serde::{Deserialize, Serialize};

macro_rules! failures {
    ($($(#[$meta:meta])* $variant:ident = ($text:literal, $what:literal, $next:literal)),+ $(,)?) => {
        $crate::vocabulary! {
            /// The closed vocabulary of failures that people see.
            pub enum FailureCode { $($(#[$meta])* $variant = $text),+ }
        }
        impl FailureCode {
            /// What happened, for people.
            pub const fn what(self) -> &'static str { match self { $(Self::$variant => $what),+ } }
            /// What to do next.
            pub const fn next_step(self) -> &'static str { match self { $(Self::$variant => $next),+ } }
        }
    };
}

failures! {
    /// The runtime's own validation refused the document.
    ConfigurationRejectedByRuntime = ("CONFIGURATION_REJECTED_BY_RUNTIME", "The runtime refused the configuration.", "Correct the places that are named in the Configuration, then deploy again."),
    /// A program or image of the runtime is not there.
    ImageUnavailable = ("IMAGE_UNAVAILABLE", "The runtime version is not installed on the target.", "Wait until the installation has finished (see Operations), or install it, then deploy again."),
    /// No place to run.
    Unschedulable = ("UNSCHEDULABLE", "The target found no place to run the Agent.", "Free capacity on the target or choose another, then deploy again."),
    /// A quota of the target or the Namespace.
    QuotaExceeded = ("QUOTA_EXCEEDED", "A quota was reached.", "Stop an Agent you do not need or ask for a higher quota, then deploy again."),
    /// The provider refused the model credential.
    ModelCredentialRejected = ("MODEL_CREDENTIAL_REJECTED", "The model provider refused the key.", "Set a new value for the Secret, then deploy again."),
    /// No connection to the provider.
    ModelUnreachable = ("MODEL_UNREACHABLE", "The model provider could not be reached.", "Check the provider's address in the Configuration and the network, then deploy again."),
    /// What answers at the provider's address is not its API.
    ModelAddressWrong = ("MODEL_ADDRESS_WRONG", "The address of the model provider answers, but knows neither models nor turns.", "Correct the address in the Configuration (for servers of OpenAI's shape it mostly ends in /v1), then deploy again."),
    /// The provider did not answer in time.
    ModelProbeTimeout = ("MODEL_PROBE_TIMEOUT", "The model provider did not answer in time.", "Check that the provider is up, then deploy again."),
    /// The credential could not be proven and policy wants proof.
    ModelCredentialUnproven = ("MODEL_CREDENTIAL_UNPROVEN", "The model credential could not be proven.", "Use a provider that lists its models for this key, or let an administrator accept unproven credentials."),
    /// The gateway keeps dying at start.
    GatewayCrashloop = ("GATEWAY_CRASHLOOP", "The gateway ended again and again while starting.", "Read the Agent's logs, correct the Configuration, then deploy again."),
    /// The gateway was not ready within its budget.
    GatewayUnready = ("GATEWAY_UNREADY", "The gateway was not ready in time.", "Read the Agent's logs; if the machine was busy, deploy again."),
    /// The gateway could not bind its port.
    PortUnavailable = ("PORT_UNAVAILABLE", "The gateway could not take a port.", "Deploy again; another port is taken at each start."),
    /// A secret of the gateway could not be read.
    SecretUnavailable = ("SECRET_UNAVAILABLE", "A Secret that the Agent needs has no value any more.", "Set a new value for the Secret, then deploy again."),
    /// The Harness was not ready.
    HarnessUnready = ("HARNESS_UNREADY", "The Harness was not ready in time.", "Read the Agent's logs, then deploy again."),
    /// The route did not lead to the candidate.
    RouteUnverified = ("ROUTE_UNVERIFIED", "The route to the new revision could not be verified.", "Deploy again; if it repeats, run `occ doctor`."),
    /// Channels are off after unclean starts.
    ChannelsSuppressed = ("CHANNELS_SUPPRESSED", "The gateway keeps its channels off after several unclean starts.", "Wait five minutes, then restart the Agent."),
    /// Another process owns the state.
    StateInUse = ("STATE_IN_USE", "Another process uses the Agent's state.", "It is tried again by itself; if it stays, look for a process left over on the target."),
    /// The target cannot hold it.
    InsufficientCapacity = ("INSUFFICIENT_CAPACITY", "The target has not enough memory for one more gateway.", "Stop an Agent you do not need, then deploy again."),
    /// The disk is full.
    DiskFull = ("DISK_FULL", "The target's disk is full.", "Free space on the target, then deploy again."),
    /// The sandbox cannot be enforced.
    SandboxUnenforced = ("SANDBOX_UNENFORCED", "The sandbox cannot be enforced on the target.", "Install bubblewrap and allow user namespaces on the target (see `occ doctor`), then deploy again."),
    /// Objects of somebody else are in the way.
    OwnershipConflict = ("OWNERSHIP_CONFLICT", "Something on the target is in the way and is not ours.", "Move it away (see `occ doctor`), then deploy again."),
    /// The target does not answer.
    TargetUnreachable = ("TARGET_UNREACHABLE", "The target could not be reached.", "Check the target, then deploy again."),
    /// Today's policy does not allow it.
    AuthorizationDenied = ("AUTHORIZATION_DENIED", "The person who asked may not do this any more.", "Let somebody who may do it deploy again."),
    /// The deadline passed.
    DeadlineExceeded = ("DEADLINE_EXCEEDED", "The deployment did not finish before its deadline.", "Read the steps to see where the time went, then deploy again."),
    /// A fault of ours.
    InternalFault = ("INTERNAL_FAULT", "Something failed on our side.", "Deploy again; if it repeats, give the request id to the operator."),
}

/// A failure as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The closed code.
    pub code: FailureCode,
    /// What happened.
    pub cause: String,
    /// What to do next.
    pub next_step: String,
    /// Places in the native document, where the code has some.
    #[serde(default)]
    pub errors: Vec<crate::problem::FieldError>,
}

impl Failure {
    /// The failure with its standard texts.
    pub fn new(code: FailureCode) -> Self {
        Self { code, cause: code.what().to_owned(), next_step: code.next_step().to_owned(), errors: Vec::new() }
    }

    /// The same with places.
    #[must_use]
    pub fn with_errors(mut self, errors: impl IntoIterator<Item = crate::problem::FieldError>) -> Self {
        self.errors.extend(errors);
        self
    }
}
