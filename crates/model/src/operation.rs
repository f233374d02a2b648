//! The operations table: one row per operation, read by the check, the router, the OpenAPI document, the docs and the coverage test.
//!
//! An operation without a row has no route; a row without a route, or without its unauthorized and other-tenant tests, fails a test.

use serde::{Deserialize, Serialize};

crate::vocabulary! {
    /// What is done. No action implies another.
    pub enum Action {
        /// Make one.
        Create = "create",
        /// See it.
        Read = "read",
        /// Change it.
        Update = "update",
        /// Remove it.
        Delete = "delete",
        /// Bring an Agent into service.
        Deploy = "deploy",
        /// Stop, start, restart, cancel, retry.
        Operate = "operate",
        /// Manage who may do what with it.
        Administer = "administer",
        /// Read an Agent's logs.
        ReadLogs = "read_logs",
        /// Use it: talk to an Agent, refer to a Secret.
        Use = "use",
    }
}

crate::vocabulary! {
    /// Kinds of protected resources.
    pub enum Kind {
        /// The Installation.
        Installation = "installation",
        /// A Namespace.
        Namespace = "namespace",
        /// A Configuration.
        Configuration = "configuration",
        /// A Secret.
        Secret = "secret",
        /// An Agent, with its revisions and deployments.
        Agent = "agent",
        /// An AgentRevision (in the change feed and the audit; read with its Agent).
        Revision = "revision",
        /// A Deployment (in the change feed and the audit; read with its Agent).
        Deployment = "deployment",
        /// A work item.
        Work = "work",
        /// A Role.
        Role = "role",
        /// An AccessBinding.
        Binding = "binding",
        /// A Restriction.
        Restriction = "restriction",
        /// A Principal.
        Principal = "principal",
        /// A ServicePrincipal and its keys.
        ServicePrincipal = "service_principal",
        /// The audit log.
        Audit = "audit",
    }
}

impl Kind {
    /// The prefix of this kind's ids (see `id.rs`).
    pub const fn id_prefix(self) -> &'static str {
        match self {
            Self::Installation => "ins",
            Self::Namespace => "ns",
            Self::Configuration => "cfg",
            Self::Secret => "sec",
            Self::Agent => "agt",
            Self::Revision => "rev",
            Self::Deployment => "dep",
            Self::Work => "wrk",
            Self::Role => "rol",
            Self::Binding => "bnd",
            Self::Restriction => "rst",
            Self::Principal => "prn",
            Self::ServicePrincipal => "spn",
            Self::Audit => "aud",
        }
    }

    /// The typed id of a stored resource of this kind, as it travels.
    pub fn show_id(self, uuid: uuid::Uuid) -> String {
        format!("{}_{}", self.id_prefix(), uuid.simple())
    }

    /// The UUID of an id of this kind, if the text is one.
    pub fn read_id(self, text: &str) -> Option<uuid::Uuid> {
        let uuid =
            text.strip_prefix(self.id_prefix())?.strip_prefix('_').and_then(|hex| uuid::Uuid::try_parse(hex).ok())?;
        (self.show_id(uuid) == text).then_some(uuid)
    }
}

/// Where the resource of an operation lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One's own things: needs an identity and nothing else.
    Own,
    /// The Installation as a whole.
    Installation,
    /// A collection in a Namespace (`{namespace}` in the path).
    Namespace,
    /// One exact resource.
    Resource,
    /// A list over everything the caller may read, filtered before pagination.
    Filtered,
}

/// HTTP methods that operations use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the methods of HTTP")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Stable id, `resource.verb`: OpenAPI `operationId`, audit action, idempotency scope.
    pub id: &'static str,
    /// Method.
    pub method: Method,
    /// Path below `/api/v1`.
    pub path: &'static str,
    /// The action checked on the exact resource or scope. `None` only for [`Scope::Own`].
    pub action: Option<Action>,
    /// The kind it is checked on.
    pub kind: Kind,
    /// Where that resource lives.
    pub scope: Scope,
    /// Takes `Idempotency-Key` and `dryRun`: it changes something.
    pub mutates: bool,
}

const fn op(
    id: &'static str,
    method: Method,
    path: &'static str,
    action: Action,
    kind: Kind,
    scope: Scope,
) -> Operation {
    let mutates = !matches!(method, Method::Get);
    Operation { id, method, path, action: Some(action), kind, scope, mutates }
}

const fn own(id: &'static str, method: Method, path: &'static str) -> Operation {
    Operation {
        id,
        method,
        path,
        action: None,
        kind: Kind::Principal,
        scope: Scope::Own,
        mutates: !matches!(method, Method::Get),
    }
}

const fn reading(operation: Operation) -> Operation {
    Operation { mutates: false, ..operation }
}

use Action as A;
use Kind as K;
use Method::{Delete, Get, Patch, Post, Put};
use Scope as S;

macro_rules! operations {
    ($($name:ident = $op:expr;)+) => {
        $(#[doc = concat!("Row `", stringify!($name), "` of the table.")] pub const $name: Operation = $op;)+
        /// Every operation, in the order of the documentation.
        pub const OPERATIONS: &[Operation] = &[$($name),+];
    };
}

operations! {
    ME = own("me.get", Get, "/me");
    ME_PERMISSIONS = own("me.permissions", Get, "/me/permissions");
    ME_SESSIONS = own("me.sessions", Get, "/me/sessions");
    ME_SESSION_END = own("me.session_end", Delete, "/me/sessions/{session}");
    ACCESS_EXPLAIN = reading(own("access.explain", Post, "/access/explain"));
    EVENTS = own("events.watch", Get, "/events");
    INSTALLATION_GET = own("installation.get", Get, "/installation");

    NAMESPACE_LIST = op("namespace.list", Get, "/namespaces", A::Read, K::Namespace, S::Filtered);
    NAMESPACE_CREATE = op("namespace.create", Post, "/namespaces", A::Create, K::Namespace, S::Installation);
    NAMESPACE_GET = op("namespace.get", Get, "/namespaces/{namespace}", A::Read, K::Namespace, S::Resource);
    NAMESPACE_UPDATE = op("namespace.update", Patch, "/namespaces/{namespace}", A::Update, K::Namespace, S::Resource);
    NAMESPACE_DELETE = op("namespace.delete", Delete, "/namespaces/{namespace}", A::Delete, K::Namespace, S::Resource);
    NAMESPACE_RETRY = op("namespace.retry", Post, "/namespaces/{namespace}/retry", A::Operate, K::Namespace, S::Resource);
    NAMESPACE_APPLY = op("namespace.apply", Post, "/namespaces/{namespace}/apply", A::Read, K::Namespace, S::Resource);

    CONFIGURATION_LIST = op("configuration.list", Get, "/namespaces/{namespace}/configurations", A::Read, K::Configuration, S::Filtered);
    CONFIGURATION_CREATE = op("configuration.create", Post, "/namespaces/{namespace}/configurations", A::Create, K::Configuration, S::Namespace);
    CONFIGURATION_GET = op("configuration.get", Get, "/namespaces/{namespace}/configurations/{configuration}", A::Read, K::Configuration, S::Resource);
    CONFIGURATION_PUT = op("configuration.put", Put, "/namespaces/{namespace}/configurations/{configuration}", A::Update, K::Configuration, S::Resource);
    CONFIGURATION_UPDATE = op("configuration.update", Patch, "/namespaces/{namespace}/configurations/{configuration}", A::Update, K::Configuration, S::Resource);
    CONFIGURATION_DELETE = op("configuration.delete", Delete, "/namespaces/{namespace}/configurations/{configuration}", A::Delete, K::Configuration, S::Resource);
    CONFIGURATION_GENERATIONS = op("configuration.generations", Get, "/namespaces/{namespace}/configurations/{configuration}/generations", A::Read, K::Configuration, S::Resource);
    CONFIGURATION_GENERATION = op("configuration.generation", Get, "/namespaces/{namespace}/configurations/{configuration}/generations/{generation}", A::Read, K::Configuration, S::Resource);
    CONFIGURATION_DIFF = op("configuration.diff", Get, "/namespaces/{namespace}/configurations/{configuration}/diff", A::Read, K::Configuration, S::Resource);
    CONFIGURATION_VALIDATE = reading(op("configuration.validate", Post, "/namespaces/{namespace}/configuration-check", A::Read, K::Namespace, S::Resource));

    SECRET_LIST = op("secret.list", Get, "/namespaces/{namespace}/secrets", A::Read, K::Secret, S::Filtered);
    SECRET_CREATE = op("secret.create", Post, "/namespaces/{namespace}/secrets", A::Create, K::Secret, S::Namespace);
    SECRET_GET = op("secret.get", Get, "/namespaces/{namespace}/secrets/{secret}", A::Read, K::Secret, S::Resource);
    SECRET_UPDATE = op("secret.update", Patch, "/namespaces/{namespace}/secrets/{secret}", A::Update, K::Secret, S::Resource);
    SECRET_DELETE = op("secret.delete", Delete, "/namespaces/{namespace}/secrets/{secret}", A::Delete, K::Secret, S::Resource);
    SECRET_SET_VALUE = op("secret.set_value", Post, "/namespaces/{namespace}/secrets/{secret}/versions", A::Update, K::Secret, S::Resource);
    SECRET_DESTROY_VERSION = op("secret.destroy_version", Delete, "/namespaces/{namespace}/secrets/{secret}/versions/{version}", A::Delete, K::Secret, S::Resource);
    SECRET_CONSUMERS = op("secret.consumers", Get, "/namespaces/{namespace}/secrets/{secret}/consumers", A::Read, K::Secret, S::Resource);
    SECRET_GRANT = op("secret.grant", Put, "/namespaces/{namespace}/secrets/{secret}/consumers/{agent}", A::Administer, K::Secret, S::Resource);
    SECRET_WITHDRAW = op("secret.withdraw", Delete, "/namespaces/{namespace}/secrets/{secret}/consumers/{agent}", A::Administer, K::Secret, S::Resource);

    AGENT_LIST = op("agent.list", Get, "/namespaces/{namespace}/agents", A::Read, K::Agent, S::Filtered);
    AGENT_CREATE = op("agent.create", Post, "/namespaces/{namespace}/agents", A::Create, K::Agent, S::Namespace);
    AGENT_GET = op("agent.get", Get, "/namespaces/{namespace}/agents/{agent}", A::Read, K::Agent, S::Resource);
    AGENT_UPDATE = op("agent.update", Patch, "/namespaces/{namespace}/agents/{agent}", A::Update, K::Agent, S::Resource);
    AGENT_DELETE = op("agent.delete", Delete, "/namespaces/{namespace}/agents/{agent}", A::Delete, K::Agent, S::Resource);
    AGENT_DEPLOY = op("agent.deploy", Post, "/namespaces/{namespace}/agents/{agent}/deploy", A::Deploy, K::Agent, S::Resource);
    AGENT_STOP = op("agent.stop", Post, "/namespaces/{namespace}/agents/{agent}/stop", A::Operate, K::Agent, S::Resource);
    AGENT_START = op("agent.start", Post, "/namespaces/{namespace}/agents/{agent}/start", A::Deploy, K::Agent, S::Resource);
    AGENT_RESTART = op("agent.restart", Post, "/namespaces/{namespace}/agents/{agent}/restart", A::Operate, K::Agent, S::Resource);
    AGENT_ROLLBACK = op("agent.rollback", Post, "/namespaces/{namespace}/agents/{agent}/rollback", A::Deploy, K::Agent, S::Resource);
    AGENT_REVISIONS = op("agent.revisions", Get, "/namespaces/{namespace}/agents/{agent}/revisions", A::Read, K::Agent, S::Resource);
    AGENT_REVISION = op("agent.revision", Get, "/namespaces/{namespace}/agents/{agent}/revisions/{revision}", A::Read, K::Agent, S::Resource);
    AGENT_DIFF = op("agent.diff", Get, "/namespaces/{namespace}/agents/{agent}/diff", A::Read, K::Agent, S::Resource);
    AGENT_DEPLOYMENTS = op("agent.deployments", Get, "/namespaces/{namespace}/agents/{agent}/deployments", A::Read, K::Agent, S::Resource);
    AGENT_DEPLOYMENT = op("agent.deployment", Get, "/namespaces/{namespace}/agents/{agent}/deployments/{deployment}", A::Read, K::Agent, S::Resource);
    DEPLOYMENT_CANCEL = op("agent.cancel", Post, "/namespaces/{namespace}/agents/{agent}/deployments/{deployment}/cancel", A::Operate, K::Agent, S::Resource);
    DEPLOYMENT_DIAGNOSE = reading(op("agent.diagnose", Post, "/namespaces/{namespace}/agents/{agent}/deployments/{deployment}/diagnose", A::Read, K::Agent, S::Resource));
    AGENT_LOGS = op("agent.logs", Get, "/namespaces/{namespace}/agents/{agent}/logs", A::ReadLogs, K::Agent, S::Resource);
    AGENT_CHAT = reading(op("agent.chat", Post, "/namespaces/{namespace}/agents/{agent}/chat", A::Use, K::Agent, S::Resource));
    AGENT_CHAT_HISTORY = op("agent.chat_history", Get, "/namespaces/{namespace}/agents/{agent}/chat", A::Use, K::Agent, S::Resource);
    CREDENTIAL_CHECK = reading(op("agent.check_credential", Post, "/namespaces/{namespace}/credential-check", A::Create, K::Agent, S::Namespace));

    WORK_LIST = op("work.list", Get, "/work", A::Administer, K::Work, S::Filtered);
    WORK_GET = op("work.get", Get, "/work/{work}", A::Administer, K::Work, S::Resource);
    WORK_CANCEL = op("work.cancel", Post, "/work/{work}/cancel", A::Administer, K::Work, S::Resource);
    WORK_RETRY = op("work.retry", Post, "/work/{work}/retry", A::Administer, K::Work, S::Resource);

    ROLE_LIST = op("role.list", Get, "/roles", A::Read, K::Role, S::Filtered);
    ROLE_CREATE = op("role.create", Post, "/roles", A::Create, K::Role, S::Installation);
    ROLE_DELETE = op("role.delete", Delete, "/roles/{role}", A::Delete, K::Role, S::Resource);
    BINDING_LIST = op("binding.list", Get, "/bindings", A::Read, K::Binding, S::Filtered);
    BINDING_CREATE = op("binding.create", Post, "/bindings", A::Administer, K::Installation, S::Installation);
    BINDING_DELETE = op("binding.delete", Delete, "/bindings/{binding}", A::Administer, K::Installation, S::Installation);
    NAMESPACE_BINDING_LIST = op("namespace_binding.list", Get, "/namespaces/{namespace}/bindings", A::Administer, K::Namespace, S::Resource);
    NAMESPACE_BINDING_CREATE = op("namespace_binding.create", Post, "/namespaces/{namespace}/bindings", A::Administer, K::Namespace, S::Resource);
    NAMESPACE_BINDING_DELETE = op("namespace_binding.delete", Delete, "/namespaces/{namespace}/bindings/{binding}", A::Administer, K::Namespace, S::Resource);
    PRINCIPAL_LIST = op("principal.list", Get, "/principals", A::Read, K::Principal, S::Filtered);
    SERVICE_PRINCIPAL_LIST = op("service_principal.list", Get, "/service-principals", A::Read, K::ServicePrincipal, S::Filtered);
    SERVICE_PRINCIPAL_CREATE = op("service_principal.create", Post, "/service-principals", A::Create, K::ServicePrincipal, S::Installation);
    SERVICE_PRINCIPAL_DELETE = op("service_principal.delete", Delete, "/service-principals/{service_principal}", A::Delete, K::ServicePrincipal, S::Resource);
    KEY_LIST = op("key.list", Get, "/service-principals/{service_principal}/keys", A::Read, K::ServicePrincipal, S::Resource);
    KEY_CREATE = op("key.create", Post, "/service-principals/{service_principal}/keys", A::Update, K::ServicePrincipal, S::Resource);
    KEY_REVOKE = op("key.revoke", Delete, "/service-principals/{service_principal}/keys/{key}", A::Update, K::ServicePrincipal, S::Resource);

    AUDIT_LIST = op("audit.list", Get, "/audit", A::Read, K::Audit, S::Filtered);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_and_routes_are_unique() {
        let ids: BTreeSet<_> = OPERATIONS.iter().map(|o| o.id).collect();
        let routes: BTreeSet<_> = OPERATIONS.iter().map(|o| (format!("{:?}", o.method), o.path)).collect();
        assert_eq!(ids.len(), OPERATIONS.len());
        assert_eq!(routes.len(), OPERATIONS.len());
    }

    #[test]
    fn an_id_of_a_kind_reads_back_and_no_other_form_does() {
        let uuid = uuid::Uuid::from_u128(0x0192_f4aa_bbcc_ddee_ff00_1122_3344_5566);
        for kind in Kind::ALL {
            assert!(crate::id::PREFIXES.contains(&kind.id_prefix()), "{kind}");
            assert_eq!(kind.read_id(&kind.show_id(uuid)), Some(uuid));
        }
        assert_eq!(Kind::Agent.read_id(&Kind::Secret.show_id(uuid)), None);
        assert_eq!(Kind::Agent.read_id("agt_0192F4AABBCCDDEEFF00112233445566"), None);
    }

    #[test]
    fn every_operation_on_others_things_names_an_action() {
        assert!(OPERATIONS.iter().all(|o| (o.scope == Scope::Own) == o.action.is_none()));
    }
}
