//! The closed codes of faults found in a document, as they stand in `FieldError::code`.

/// A key that the runtime does not know at this place.
pub const UNKNOWN_KEY: &str = "UNKNOWN_KEY";
/// A value of another type than the runtime reads here.
pub const WRONG_TYPE: &str = "WRONG_TYPE";
/// A key that the runtime requires.
pub const MISSING_KEY: &str = "MISSING_KEY";
/// A value outside the closed list for this place.
pub const NOT_ALLOWED_VALUE: &str = "NOT_ALLOWED_VALUE";
/// A text that does not have the form required here.
pub const PATTERN: &str = "PATTERN";
/// A number outside its limits.
pub const RANGE: &str = "RANGE";
/// A text, list or object that is too long, too short, or repeats itself.
pub const LENGTH: &str = "LENGTH";
/// Refused by a rule of the runtime that has no shorter name.
pub const INVALID: &str = "INVALID";
/// The runtime's own validation refuses it for a reason that we do not know.
pub const REJECTED_BY_RUNTIME: &str = "REJECTED_BY_RUNTIME";

/// A key that the platform manages.
pub const MANAGED_KEY: &str = "MANAGED_KEY";
/// A `${…}`: nothing is substituted in documents.
pub const UNBOUND_VARIABLE: &str = "UNBOUND_VARIABLE";
/// An `$include`: a document stands for itself.
pub const INCLUDE: &str = "INCLUDE";
/// A reference to a secret of the runtime's own kind.
pub const SECRET_REF: &str = "SECRET_REF";
/// A model credential in the document.
pub const MODEL_KEY: &str = "MODEL_KEY";
/// A secret written out in the document.
pub const LITERAL_SECRET: &str = "LITERAL_SECRET";
/// A text that was meant to be replaced.
pub const PLACEHOLDER: &str = "PLACEHOLDER";
/// A control character.
pub const CONTROL_CHARACTER: &str = "CONTROL_CHARACTER";
/// An address that is no absolute http(s) URL.
pub const INVALID_URL: &str = "INVALID_URL";

/// A binding whose pointer is none, or names no place where the runtime reads a secret.
pub const BINDING_PLACE: &str = "BINDING_PLACE";
/// Two bindings at one place.
pub const DUPLICATE_BINDING: &str = "DUPLICATE_BINDING";
/// More bindings than allowed.
pub const TOO_MANY_BINDINGS: &str = "TOO_MANY_BINDINGS";

/// No model is named.
pub const MODEL_MISSING: &str = "MODEL_MISSING";
/// A model that is not `provider/model`.
pub const MODEL_NAME: &str = "MODEL_NAME";
/// Models of more than one provider.
pub const PROVIDER_CONFLICT: &str = "PROVIDER_CONFLICT";
/// An `agentRuntime.id` that is no Harness.
pub const RUNTIME_UNKNOWN: &str = "RUNTIME_UNKNOWN";
/// Two different runtimes for what must be one.
pub const RUNTIME_CONFLICT: &str = "RUNTIME_CONFLICT";
/// The runtime must be said and is not.
pub const RUNTIME_UNDECIDED: &str = "RUNTIME_UNDECIDED";
/// The Codex Harness does not take this provider as it is configured.
pub const PROVIDER_UNSUPPORTED: &str = "PROVIDER_UNSUPPORTED";
/// The Harness does not run in this execution mode.
pub const MODE_MISMATCH: &str = "MODE_MISMATCH";
/// `harnessAuth` is for another provider.
pub const AUTH_PROVIDER: &str = "AUTH_PROVIDER";

/// Advice: the document has several agents, but they cannot spawn one another.
pub const SPAWNING_OFF: &str = "SPAWNING_OFF";
/// Advice: the tool policy takes Codex its own tools.
pub const HARNESS_RESTRICTED: &str = "HARNESS_RESTRICTED";
