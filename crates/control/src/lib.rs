//! What happens: use cases and steps, one file per resource. Knows neither axum nor kube nor leptos, and holds no SQL.
//!
//! A use case reads top to bottom: resolve → require (the check says literally what is done to what) → change in one
//! transaction with its audit event, its work and its announcement → commit under the policy epoch → wake the workers.
//! REST handlers and server functions are one-line adapters over these functions.

pub mod access;
mod access_change;
mod admission;
mod admission_checks;
pub mod agent;
mod agent_draft;
mod agent_view;
pub mod apply;
pub mod audit;
mod authorize;
pub mod binding;
mod binding_request;
pub mod bootstrap;
pub mod change;
pub mod chat;
pub mod configuration;
mod configuration_history;
mod configuration_view;
pub mod context;
pub mod credential_check;
pub mod cursor;
pub mod deploy;
pub mod deployment;
pub mod diff;
pub mod document;
pub mod draft;
pub mod envelope;
pub mod error;
pub mod events;
pub mod facts;
pub mod faults;
pub mod host;
pub mod housekeeping;
pub mod in_use;
pub mod installation;
pub mod key;
pub mod keyfiles;
pub mod lifecycle;
pub mod logs;
pub mod me;
pub mod namespace;
mod order;
pub mod place;
pub mod principal;
pub mod revision;
pub mod role;
pub mod rollback;
pub mod secret;
mod secret_grant;
pub mod secret_ring;
pub mod secret_value;
mod secret_view;
pub mod service_principal;
pub mod session;
pub mod settings;
pub mod signals;
pub mod signin;
pub mod stream;
pub mod throttle;
pub mod token;
pub mod wake;
mod wanted;
pub mod work;
pub mod worker;
mod workspace_files;
pub mod write;

use std::sync::Arc;

use occ_driver::{ComputeDriver, SecretDriver};
use occ_model::id::InstallationId;
use occ_openclaw::schema::SchemaCache;
use occ_store::Store;

pub use context::Cx;
pub use error::{Error, Result};
pub use write::WriteOptions;

/// Everything that use cases and steps work with; one per process.
pub struct Control {
    /// The Installation that this process serves (I12: never chosen by a caller).
    pub installation: InstallationId,
    /// What is true.
    pub store: Store,
    /// The selected compute driver.
    pub compute: Arc<dyn ComputeDriver>,
    /// Chosen by the Installation's configuration.
    pub settings: settings::Settings,
    /// The selected secret driver.
    pub secrets: Arc<dyn SecretDriver>,
    /// The pinned runtime's schema, held while it is used; whoever has a timer drops it when idle.
    pub documents: Arc<SchemaCache>,
    /// Keys of this Installation: cursors, idempotency, secrets' envelope.
    pub keys: Arc<settings::Keys>,
    /// Facts of identities, per policy epoch.
    pub facts: facts::FactsCache,
    /// Tells workers and watchers, after commit.
    pub wake: wake::Wake,
    /// Where tests stop a step; nothing otherwise.
    pub faults: faults::Faults,
}
