//! What each operation takes and answers, as types. An operation that is missing here fails a test.

use occ_model::access::{
    Binding, CreateBinding, CreateKey, CreateRole, CreateServicePrincipal, Explain, Explanation, IssuedKey, Key, Me,
    Permissions, Principal, Role, ServicePrincipal, Session,
};
use occ_model::agent::{Agent, AgentDraft, CheckCredential, CreateAgent, CredentialCheck, Rollback};
use occ_model::apply::{Apply, ApplyReport};
use occ_model::audit::AuditEvent;
use occ_model::chat::{ChatEvent, ChatMessage, ChatTurn, LogLine};
use occ_model::configuration::{
    CheckConfiguration, Configuration, ConfigurationCheck, ConfigurationDraft, ConfigurationGeneration,
    CreateConfiguration,
};
use occ_model::deployment::{AdmissionReport, Admitted, Deployment, Diagnosis, DiffEntry};
use occ_model::event::Change;
use occ_model::installation::Installation;
use occ_model::namespace::{CreateNamespace, Namespace, NamespaceDraft};
use occ_model::revision::Revision;
use occ_model::secret::{CreateSecret, Secret, SecretConsumer, SecretDraft, SecretValue};
use occ_model::work::Work;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::components::Components;

/// What is sent.
pub(super) enum Body {
    /// Nothing.
    None,
    /// JSON of this schema.
    Json(Value),
    /// A merge patch over this schema.
    Patch(Value),
}

/// What comes back when it went well.
pub(super) enum Answer {
    /// 204.
    Empty,
    /// JSON of this schema with this status.
    Json(u16, Value),
    /// Server-Sent Events of this schema.
    Stream(Value),
}

/// One operation's shape.
pub(super) struct Shape {
    pub(super) body: Body,
    pub(super) answer: Answer,
    /// It takes what lists take.
    pub(super) pages: bool,
    /// Query parameters of its own.
    pub(super) query: &'static [(&'static str, &'static str)],
}

impl Shape {
    fn answer(answer: Answer) -> Self {
        Self { body: Body::None, answer, pages: false, query: &[] }
    }

    fn one<T: ToSchema>(c: &mut Components, status: u16) -> Self {
        Self::answer(Answer::Json(status, c.of::<T>()))
    }

    fn list<T: ToSchema>(c: &mut Components) -> Self {
        Self::answer(Answer::Json(200, c.list::<T>()))
    }

    fn whole<T: ToSchema>(c: &mut Components) -> Self {
        Self::answer(Answer::Json(200, c.page::<T>()))
    }

    fn paged<T: ToSchema>(c: &mut Components) -> Self {
        Self { pages: true, ..Self::whole::<T>(c) }
    }

    fn empty() -> Self {
        Self::answer(Answer::Empty)
    }

    fn stream<T: ToSchema>(c: &mut Components) -> Self {
        Self::answer(Answer::Stream(c.of::<T>()))
    }

    fn taking<T: ToSchema>(mut self, c: &mut Components) -> Self {
        self.body = Body::Json(c.of::<T>());
        self
    }

    fn patching<T: ToSchema>(mut self, c: &mut Components) -> Self {
        self.body = Body::Patch(c.of::<T>());
        self
    }

    fn with(mut self, query: &'static [(&'static str, &'static str)]) -> Self {
        self.query = query;
        self
    }
}

const FROM_TO: &[(&str, &str)] = &[("from", "the older side"), ("to", "the newer side")];

/// 202 with what was admitted; 200 with the report of a dry run.
fn deploying(c: &mut Components) -> Shape {
    let either = json!({ "oneOf": [c.of::<Admitted>(), c.of::<AdmissionReport>()] });
    Shape::answer(Answer::Json(202, either))
}

/// The shape of an operation.
pub(super) fn shape(id: &str, c: &mut Components) -> Option<Shape> {
    own(id, c).or_else(|| resources(id, c)).or_else(|| agents(id, c)).or_else(|| access(id, c))
}

fn own(id: &str, c: &mut Components) -> Option<Shape> {
    Some(match id {
        "me.get" => Shape::one::<Me>(c, 200),
        "me.permissions" => Shape::one::<Permissions>(c, 200).with(&[("resource", "a path below /api/v1/")]),
        "me.sessions" => Shape::whole::<Session>(c),
        "me.session_end" => Shape::empty(),
        "access.explain" => Shape::one::<Explanation>(c, 200).taking::<Explain>(c),
        "events.watch" => Shape::stream::<Change>(c)
            .with(&[("namespace", "only this Namespace"), ("kinds", "only these kinds, separated by commas")]),
        "installation.get" => Shape::one::<Installation>(c, 200),
        _ => return None,
    })
}

fn resources(id: &str, c: &mut Components) -> Option<Shape> {
    Some(match id {
        "namespace.list" => Shape::paged::<Namespace>(c),
        "namespace.create" => Shape::one::<Namespace>(c, 201).taking::<CreateNamespace>(c),
        "namespace.get" => Shape::one::<Namespace>(c, 200),
        "namespace.update" => Shape::one::<Namespace>(c, 200).patching::<NamespaceDraft>(c),
        "namespace.delete" | "namespace.retry" => Shape::one::<Namespace>(c, 202),
        "namespace.apply" => Shape::one::<ApplyReport>(c, 200).taking::<Apply>(c),
        "configuration.list" => Shape::paged::<Configuration>(c),
        "configuration.create" => Shape::one::<Configuration>(c, 201).taking::<CreateConfiguration>(c),
        "configuration.get" => Shape::one::<Configuration>(c, 200),
        "configuration.put" => Shape::one::<Configuration>(c, 200).taking::<ConfigurationDraft>(c),
        "configuration.update" => Shape::one::<Configuration>(c, 200).patching::<ConfigurationDraft>(c),
        "configuration.delete" | "secret.delete" | "secret.destroy_version" | "secret.withdraw" => Shape::empty(),
        "configuration.generations" => Shape::whole::<ConfigurationGeneration>(c),
        "configuration.generation" => Shape::one::<ConfigurationGeneration>(c, 200),
        "configuration.diff" => Shape::list::<DiffEntry>(c).with(FROM_TO),
        "configuration.validate" => Shape::one::<ConfigurationCheck>(c, 200).taking::<CheckConfiguration>(c),
        "secret.list" => Shape::paged::<Secret>(c),
        "secret.create" => Shape::one::<Secret>(c, 201).taking::<CreateSecret>(c),
        "secret.get" => Shape::one::<Secret>(c, 200),
        "secret.update" => Shape::one::<Secret>(c, 200).patching::<SecretDraft>(c),
        "secret.set_value" => Shape::one::<Secret>(c, 201).taking::<SecretValue>(c),
        "secret.consumers" => Shape::whole::<SecretConsumer>(c),
        "secret.grant" => Shape::one::<SecretConsumer>(c, 200),
        _ => return None,
    })
}

fn agents(id: &str, c: &mut Components) -> Option<Shape> {
    Some(match id {
        "agent.list" => Shape::paged::<Agent>(c),
        "agent.create" => Shape::one::<Agent>(c, 201).taking::<CreateAgent>(c),
        "agent.get" => Shape::one::<Agent>(c, 200),
        "agent.update" => Shape::one::<Agent>(c, 200).patching::<AgentDraft>(c),
        "agent.delete" | "agent.stop" => Shape::one::<Agent>(c, 202),
        "agent.deploy" | "agent.start" | "agent.restart" => deploying(c),
        "agent.rollback" => deploying(c).taking::<Rollback>(c),
        "agent.revisions" => Shape::paged::<Revision>(c),
        "agent.revision" => Shape::one::<Revision>(c, 200),
        "agent.diff" => Shape::list::<DiffEntry>(c).with(FROM_TO),
        "agent.deployments" => Shape::paged::<Deployment>(c),
        "agent.deployment" | "agent.cancel" => Shape::one::<Deployment>(c, 200),
        "agent.diagnose" => Shape::one::<Diagnosis>(c, 200),
        "agent.logs" => Shape::list::<LogLine>(c)
            .with(&[("tail", "the last so many lines, at most 1,000"), ("follow", "go on as Server-Sent Events")]),
        "agent.chat" => Shape::stream::<ChatEvent>(c).taking::<ChatTurn>(c),
        "agent.chat_history" => Shape::list::<ChatMessage>(c).with(&[("conversation", "which of one's own")]),
        "agent.check_credential" => Shape::one::<CredentialCheck>(c, 200).taking::<CheckCredential>(c),
        "work.list" => Shape::paged::<Work>(c),
        "work.get" | "work.cancel" | "work.retry" => Shape::one::<Work>(c, 200),
        _ => return None,
    })
}

fn access(id: &str, c: &mut Components) -> Option<Shape> {
    Some(match id {
        "role.list" => Shape::paged::<Role>(c),
        "role.create" => Shape::one::<Role>(c, 201).taking::<CreateRole>(c),
        "binding.list" | "namespace_binding.list" => Shape::paged::<Binding>(c),
        "binding.create" | "namespace_binding.create" => Shape::one::<Binding>(c, 201).taking::<CreateBinding>(c),
        "role.delete" | "binding.delete" | "namespace_binding.delete" | "service_principal.delete" | "key.revoke" => {
            Shape::empty()
        }
        "principal.list" => Shape::paged::<Principal>(c),
        "service_principal.list" => Shape::paged::<ServicePrincipal>(c),
        "service_principal.create" => Shape::one::<ServicePrincipal>(c, 201).taking::<CreateServicePrincipal>(c),
        "key.list" => Shape::paged::<Key>(c),
        "key.create" => Shape::one::<IssuedKey>(c, 201).taking::<CreateKey>(c),
        "audit.list" => Shape::paged::<AuditEvent>(c),
        _ => return None,
    })
}
