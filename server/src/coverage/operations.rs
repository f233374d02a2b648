//! The table of REST: for each operation how it is asked, and what whoever may not is told.

use axum::http::Method as Http;
use occ_model::operation::{self as op, Method, OPERATIONS, Operation};
use occ_model::problem::Code;
use occ_testkit::document;
use serde_json::{Value, json};

use super::door::{Control, Door, Refusal};

/// A row, as the door that it becomes.
fn row(operation: &'static Operation, refusal: Refusal) -> Door {
    let method = match operation.method {
        Method::Get => Http::GET,
        Method::Post => Http::POST,
        Method::Put => Http::PUT,
        Method::Patch => Http::PATCH,
        Method::Delete => Http::DELETE,
    };
    let address = format!("/api/v1{}", operation.path);
    let name = format!("{} ({method} {address})", operation.id);
    let (body, if_match, control, shows) = (None, None, Control::Done, None);
    Door { name, operation, method, address, body, if_match, refusal, control, shows }
}

impl Door {
    fn asking(mut self, query: &str) -> Self {
        self.address = format!("{}?{query}", self.address);
        self
    }

    fn with(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    fn on(self, generation: i64) -> Self {
        Self { if_match: Some(generation), ..self }
    }

    fn showing(self, word: &'static str) -> Self {
        Self { shows: Some(word), ..self }
    }

    fn conflicts(self, code: Code) -> Self {
        Self { control: Control::Conflict(code), ..self }
    }
}

fn hidden(operation: &'static Operation) -> Door {
    row(operation, Refusal::Hidden)
}

/// Everything of REST; what is wrong with the table where something is.
pub fn doors() -> Result<Vec<Door>, Vec<String>> {
    let doors = [own(), namespaces(), configurations(), secrets(), agents(), running(), work(), access()].concat();
    let lacking = OPERATIONS.iter().filter(|operation| doors.iter().all(|door| door.operation.id != operation.id));
    let faults: Vec<_> = lacking
        .map(|operation| {
            format!(
                "{}: it has no row in server/src/coverage/operations.rs. Say how it is asked and what whoever may not is told.",
                operation.id
            )
        })
        .collect();
    if faults.is_empty() { Ok(doors) } else { Err(faults) }
}

pub fn bound() -> Value {
    json!([{ "pointer": "/channels/telegram/botToken", "secret": "{secret}" }])
}

fn own() -> Vec<Door> {
    let row = |operation| row(operation, Refusal::Own);
    vec![
        row(&op::ME),
        row(&op::ME_PERMISSIONS).asking("resource=namespaces/{namespace}/agents/{agent}"),
        row(&op::ME_SESSIONS).showing("session"),
        row(&op::ME_SESSION_END),
        row(&op::ACCESS_EXPLAIN).with(json!({
            "identity": "{workload}", "action": "use", "kind": "secret", "namespace": "{namespace}", "resource": "{secret}",
        })),
        row(&op::ACCESS_EXPLAIN).with(json!({
            "action": "read", "kind": "agent", "namespace": "{namespace}", "resource": "{agent}",
        })),
        row(&op::EVENTS),
        row(&op::EVENTS).asking("namespace={namespace}"),
        row(&op::INSTALLATION_GET),
    ]
}

fn namespaces() -> Vec<Door> {
    vec![
        row(&op::NAMESPACE_LIST, Refusal::Filtered).showing("namespace"),
        hidden(&op::NAMESPACE_CREATE).with(json!({ "name": "delta" })),
        hidden(&op::NAMESPACE_GET).showing("namespace"),
        hidden(&op::NAMESPACE_UPDATE).with(json!({ "displayName": "Renamed" })).on(1),
        hidden(&op::NAMESPACE_DELETE).conflicts(Code::NamespaceNotEmpty),
        hidden(&op::NAMESPACE_RETRY).conflicts(Code::StateConflict),
        hidden(&op::NAMESPACE_APPLY).with(json!([
            { "kind": "Namespace", "name": "{namespace}" }, { "kind": "Secret", "name": "made", "value": "sk-made" },
        ])),
        hidden(&op::NAMESPACE_APPLY).with(json!([{ "kind": "Secret", "name": "made", "value": "sk-made" }])),
    ]
}

fn configurations() -> Vec<Door> {
    let values = document::embedded();
    vec![
        hidden(&op::CONFIGURATION_LIST).showing("configuration"),
        hidden(&op::CONFIGURATION_CREATE)
            .with(json!({ "name": "made", "kind": "agent", "values": values, "secretBindings": bound() })),
        hidden(&op::CONFIGURATION_GET).showing("configuration"),
        hidden(&op::CONFIGURATION_PUT).with(json!({ "values": values, "secretBindings": bound() })).on(2),
        hidden(&op::CONFIGURATION_UPDATE).with(json!({ "secretBindings": bound() })).on(2),
        hidden(&op::CONFIGURATION_DELETE).conflicts(Code::InUse),
        hidden(&op::CONFIGURATION_GENERATIONS),
        hidden(&op::CONFIGURATION_GENERATION),
        hidden(&op::CONFIGURATION_DIFF),
        hidden(&op::CONFIGURATION_VALIDATE).with(json!({ "values": values, "secretBindings": bound() })),
    ]
}

fn secrets() -> Vec<Door> {
    vec![
        hidden(&op::SECRET_LIST).showing("secret"),
        hidden(&op::SECRET_CREATE).with(json!({ "name": "made", "value": "sk-made" })),
        hidden(&op::SECRET_GET).showing("agent"),
        hidden(&op::SECRET_UPDATE).with(json!({ "displayName": "Renamed" })).on(2),
        hidden(&op::SECRET_DELETE).conflicts(Code::InUse),
        hidden(&op::SECRET_SET_VALUE).with(json!({ "value": "sk-third" })),
        hidden(&op::SECRET_DESTROY_VERSION),
        hidden(&op::SECRET_CONSUMERS).showing("agent"),
        hidden(&op::SECRET_GRANT).showing("agent"),
        hidden(&op::SECRET_WITHDRAW),
    ]
}

pub fn draft() -> Value {
    json!({
        "configuration": "{configuration}", "executionMode": "embedded",
        "harnessAuth": { "provider": "testmodel", "apiKey": "{secret}" },
    })
}

pub fn new_agent() -> Value {
    let mut request = draft();
    request["name"] = "made".into();
    request
}

pub fn credential() -> Value {
    json!({
        "provider": "testmodel", "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "secret": "{secret}",
    })
}

fn agents() -> Vec<Door> {
    vec![
        hidden(&op::AGENT_LIST).showing("agent"),
        hidden(&op::AGENT_CREATE).with(new_agent()),
        hidden(&op::AGENT_GET).showing("agent"),
        hidden(&op::AGENT_UPDATE).with(draft()).on(1),
        hidden(&op::AGENT_DELETE).showing("agent"),
        hidden(&op::CREDENTIAL_CHECK).with(credential()),
    ]
}

fn running() -> Vec<Door> {
    vec![
        hidden(&op::AGENT_DEPLOY),
        hidden(&op::AGENT_STOP).showing("agent"),
        hidden(&op::AGENT_START).conflicts(Code::StateConflict),
        hidden(&op::AGENT_RESTART),
        hidden(&op::AGENT_ROLLBACK).with(json!({ "revision": 1 })),
        hidden(&op::AGENT_REVISIONS).showing("revision"),
        hidden(&op::AGENT_REVISION).showing("revision"),
        hidden(&op::AGENT_DIFF).asking("from={revision}&to=draft"),
        hidden(&op::AGENT_DEPLOYMENTS).showing("deployment"),
        hidden(&op::AGENT_DEPLOYMENT).showing("deployment"),
        hidden(&op::DEPLOYMENT_CANCEL).conflicts(Code::StateConflict),
        hidden(&op::DEPLOYMENT_DIAGNOSE),
        hidden(&op::AGENT_LOGS),
        hidden(&op::AGENT_CHAT).with(json!({ "text": "Good morning" })),
        hidden(&op::AGENT_CHAT_HISTORY),
    ]
}

fn work() -> Vec<Door> {
    vec![
        row(&op::WORK_LIST, Refusal::Filtered).showing("work"),
        hidden(&op::WORK_GET).showing("work"),
        hidden(&op::WORK_CANCEL).conflicts(Code::StateConflict),
        hidden(&op::WORK_RETRY).conflicts(Code::StateConflict),
    ]
}

fn access() -> Vec<Door> {
    let everywhere = hidden(&op::BINDING_DELETE);
    let everywhere = Door { address: everywhere.address.replace("{binding}", "{binding_everywhere}"), ..everywhere };
    vec![
        row(&op::ROLE_LIST, Refusal::Closed).showing("role"),
        hidden(&op::ROLE_CREATE)
            .with(json!({ "name": "made", "permissions": [{ "action": "read", "kind": "agent" }] })),
        hidden(&op::ROLE_DELETE),
        hidden(&op::BINDING_LIST).showing("binding"),
        hidden(&op::BINDING_CREATE).with(json!({
            "subject": "{person}", "role": "viewer", "resource": { "kind": "namespace", "id": "{namespace}" },
        })),
        everywhere,
        hidden(&op::NAMESPACE_BINDING_LIST).showing("binding"),
        hidden(&op::NAMESPACE_BINDING_CREATE).with(json!({
            "subject": "{workload}", "role": "viewer", "resource": { "kind": "secret", "id": "{secret}" },
        })),
        hidden(&op::NAMESPACE_BINDING_DELETE),
        hidden(&op::PRINCIPAL_LIST).showing("person"),
        hidden(&op::SERVICE_PRINCIPAL_LIST).showing("service_principal"),
        hidden(&op::SERVICE_PRINCIPAL_CREATE).with(json!({ "name": "made" })),
        hidden(&op::SERVICE_PRINCIPAL_DELETE),
        hidden(&op::KEY_LIST).showing("key"),
        hidden(&op::KEY_CREATE).with(json!({ "days": 1 })),
        hidden(&op::KEY_REVOKE),
        row(&op::AUDIT_LIST, Refusal::Closed).showing("namespace"),
        row(&op::AUDIT_LIST, Refusal::Closed).asking("namespace={namespace}&resource={deployment}"),
        row(&op::AUDIT_LIST, Refusal::Closed).asking("actor={workload}"),
    ]
}
