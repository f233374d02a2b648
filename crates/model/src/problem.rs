//! Problems (RFC 9457): a closed list of codes, each with its status and its title.
//!
//! A detail is written for the person who reads it and never contains a driver's, provider's or database's own text.

use serde::{Deserialize, Serialize};

use crate::id::RequestId;

macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident = ($text:literal, $status:literal, $title:literal)),+ $(,)?) => {
        $crate::vocabulary! {
            /// The closed vocabulary of problem codes.
            pub enum Code { $($(#[$meta])* $variant = $text),+ }
        }
        impl Code {
            /// The HTTP status it answers with.
            pub const fn status(self) -> u16 { match self { $(Self::$variant => $status),+ } }
            /// Its title, the same for every occurrence.
            pub const fn title(self) -> &'static str { match self { $(Self::$variant => $title),+ } }
        }
    };
}

codes! {
    /// The request cannot be read.
    MalformedRequest = ("MALFORMED_REQUEST", 400, "The request cannot be read"),
    /// Fields break their rules; see `errors`.
    InvalidFields = ("INVALID_FIELDS", 400, "Some fields are not valid"),
    /// A query parameter breaks its rule.
    InvalidQuery = ("INVALID_QUERY", 400, "A query parameter is not valid"),
    /// A cursor is not ours, or belongs to another list.
    InvalidCursor = ("INVALID_CURSOR", 400, "The cursor is not valid for this list"),
    /// The native document is not valid for the pinned runtime.
    InvalidDocument = ("INVALID_DOCUMENT", 400, "The configuration document is not valid"),
    /// The native document sets a pointer that the platform manages.
    ManagedKey = ("MANAGED_KEY", 400, "The document sets a key that the platform manages"),
    /// The Harness cannot be selected from the document, or does not fit the execution mode.
    HarnessSelection = ("HARNESS_SELECTION", 400, "No single harness fits the document"),
    /// A reference is missing, foreign, or not readable for the caller.
    ReferenceUnusable = ("REFERENCE_UNUSABLE", 400, "A reference cannot be used"),
    /// The Agent's own identity may not use a reference.
    AgentGrantMissing = ("AGENT_GRANT_MISSING", 400, "The Agent may not use a reference"),
    /// The backend is not offered by this Installation.
    BackendUnknown = ("BACKEND_UNKNOWN", 400, "The backend is not known here"),
    /// No credentials, or none that is valid.
    Unauthenticated = ("UNAUTHENTICATED", 401, "Sign in first"),
    /// The exact grant is missing.
    Forbidden = ("FORBIDDEN", 403, "You may not do this"),
    /// Cookie writes need the exact Origin.
    OriginMismatch = ("ORIGIN_MISMATCH", 403, "The request comes from another origin"),
    /// Not there, or not in this tenant.
    NotFound = ("NOT_FOUND", 404, "Not found"),
    /// The method is not offered there.
    MethodNotAllowed = ("METHOD_NOT_ALLOWED", 405, "This method is not offered here"),
    /// The name is in use.
    NameTaken = ("NAME_TAKEN", 409, "The name is in use"),
    /// Something still refers to it.
    InUse = ("IN_USE", 409, "It is still in use"),
    /// The Namespace is not empty.
    NamespaceNotEmpty = ("NAMESPACE_NOT_EMPTY", 409, "The Namespace is not empty"),
    /// The Namespace is not ready.
    NamespaceNotReady = ("NAMESPACE_NOT_READY", 409, "The Namespace is not ready"),
    /// The resource is being deleted.
    Deleting = ("DELETING", 409, "It is being deleted"),
    /// The state does not allow it.
    StateConflict = ("STATE_CONFLICT", 409, "The current state does not allow this"),
    /// Nothing was ever served.
    NothingToStart = ("NOTHING_TO_START", 409, "There is no revision to start"),
    /// The Agent serves nothing now.
    AgentNotServing = ("AGENT_NOT_SERVING", 409, "The Agent is not serving"),
    /// The same key came with another request.
    IdempotencyKeyReused = ("IDEMPOTENCY_KEY_REUSED", 409, "The idempotency key was used for another request"),
    /// The value was shown once and is not shown again.
    AlreadyIssued = ("ALREADY_ISSUED", 409, "The value was already issued"),
    /// A quota is reached.
    QuotaExceeded = ("QUOTA_EXCEEDED", 409, "A quota is reached"),
    /// The machine cannot hold it.
    InsufficientCapacity = ("INSUFFICIENT_CAPACITY", 409, "There is not enough capacity"),
    /// The Installation was already initialised.
    AlreadyInitialized = ("ALREADY_INITIALIZED", 409, "The Installation is already initialised"),
    /// `If-Match` names another generation.
    GenerationMismatch = ("GENERATION_MISMATCH", 412, "It was changed in the meantime"),
    /// The body is too large.
    BodyTooLarge = ("BODY_TOO_LARGE", 413, "The request is too large"),
    /// The content type is not taken.
    UnsupportedMediaType = ("UNSUPPORTED_MEDIA_TYPE", 415, "The content type is not taken here"),
    /// `If-Match` is required.
    PreconditionRequired = ("PRECONDITION_REQUIRED", 428, "If-Match is required"),
    /// Too many requests.
    RateLimited = ("RATE_LIMITED", 429, "Too many requests"),
    /// A fault of ours.
    Internal = ("INTERNAL", 500, "Something failed here"),
    /// The selected Driver lacks it.
    NotSupported = ("NOT_SUPPORTED", 501, "The selected driver does not offer this"),
    /// A dependency is down.
    Unavailable = ("UNAVAILABLE", 503, "A dependency is not available"),
    /// The outcome is not known; read back before trying again.
    UnknownOutcome = ("UNKNOWN_OUTCOME", 503, "The outcome is not known"),
    /// A change of revision is under way.
    AgentSwitching = ("AGENT_SWITCHING", 503, "The Agent is switching revisions"),
    /// Traffic is denied until a revision is verified.
    AgentUnrouted = ("AGENT_UNROUTED", 503, "Traffic to the Agent is denied"),
    /// The model provider did not answer in time.
    TurnTimedOut = ("TURN_TIMED_OUT", 503, "The turn did not finish in time"),
    /// The turn failed in the gateway or at the provider.
    TurnFailed = ("TURN_FAILED", 503, "The turn failed"),
}

/// One place in the request and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    /// JSON Pointer (RFC 6901) into the request body.
    pub pointer: String,
    /// `UPPER_SNAKE`, closed per kind of check.
    pub code: String,
    /// What is wrong and what would be right; never the value itself.
    pub message: String,
}

impl FieldError {
    /// A field error from its three parts.
    pub fn new(pointer: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code: code.into(), message: message.into() }
    }

    /// The same error below `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.pointer.insert_str(0, prefix);
        self
    }
}

/// A problem as it travels (`application/problem+json`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[error("{code}: {detail}")]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Stable URI of the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the kind.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What happened and what to do next, for people.
    pub detail: String,
    /// The closed code.
    pub code: Code,
    /// The request that met it.
    pub request_id: Option<RequestId>,
    /// Places in the request, at most 32.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

impl Problem {
    /// At most so many places are listed.
    pub const MAX_ERRORS: usize = 32;

    /// A problem of this code with a detail for people.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:occ:problem:{}", code.as_str().to_ascii_lowercase().replace('_', "-")),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code,
            request_id: None,
            errors: Vec::new(),
        }
    }

    /// The same with places; the list is cut at [`Self::MAX_ERRORS`].
    #[must_use]
    pub fn with_errors(mut self, errors: impl IntoIterator<Item = FieldError>) -> Self {
        self.errors.extend(errors);
        self.errors.truncate(Self::MAX_ERRORS);
        self
    }

    /// The same with one place.
    #[must_use]
    pub fn at(self, pointer: &str, code: &str, message: impl Into<String>) -> Self {
        self.with_errors([FieldError::new(pointer, code, message)])
    }
}
