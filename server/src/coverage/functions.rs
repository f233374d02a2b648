//! The table of server functions: which operation each is a door to, and with what it is called. In the order in which somebody who
//! may calls them all, for they have no dry run: what is deleted comes last.

use std::collections::BTreeSet;

use axum::http::Method;
use leptos::server_fn::axum::server_fn_paths;
use occ_model::operation::{self as op, Operation};
use occ_model::problem::Code;
use occ_testkit::document;
use serde_json::{Value, json};

use super::door::{Control, Door};
use super::operations::{self, bound, credential, draft, new_agent};

/// Server functions that need nobody to be signed in, each with its reason. There are none: signing in is a plain form.
const PUBLIC: &[(&str, &str)] = &[];

/// Every server function; what is wrong with the table where something is.
pub fn doors() -> Result<Vec<Door>, Vec<String>> {
    let rows = [reads(), checks(), writes(), ends()].concat();
    let known: BTreeSet<_> = rows.iter().map(Row::path).collect();
    let public: BTreeSet<_> = PUBLIC.iter().map(|(name, _)| format!("/api/fn/{name}")).collect();
    let registered: BTreeSet<_> = server_fn_paths().map(|(path, _)| path.to_owned()).collect();
    let lacking = registered.iter().filter(|path| !known.contains(*path) && !public.contains(*path));
    let mut faults: Vec<_> = lacking
        .map(|path| {
            format!("{path}: it has no row in server/src/coverage/functions.rs. Say which operation it is a door to.")
        })
        .collect();
    faults.extend(known.difference(&registered).map(|path| format!("{path}: there is no such server function")));
    let of = operations::doors()?;
    let doors = rows.iter().filter_map(|row| row.door(&of)).collect();
    if faults.is_empty() { Ok(doors) } else { Err(faults) }
}

#[derive(Clone)]
struct Row {
    function: &'static str,
    operation: &'static Operation,
    arguments: Value,
    control: Control,
    shows: Option<&'static str>,
}

fn row(function: &'static str, operation: &'static Operation, arguments: Value) -> Row {
    Row { function, operation, arguments, control: Control::Done, shows: None }
}

/// One that changes something: called with a key of its own.
fn once(function: &'static str, operation: &'static Operation, arguments: Value) -> Row {
    let mut row = row(function, operation, arguments);
    row.arguments["key"] = format!("walk-{function}").into();
    row
}

impl Row {
    fn path(&self) -> String {
        format!("/api/fn/{}", self.function)
    }

    fn conflicts(self, code: Code) -> Self {
        Self { control: Control::Conflict(code), ..self }
    }

    fn showing(self, word: &'static str) -> Self {
        Self { shows: Some(word), ..self }
    }

    /// Whoever may not is told what the operation tells them.
    fn door(&self, of: &[Door]) -> Option<Door> {
        let operation = of.iter().find(|door| door.operation.id == self.operation.id)?;
        Some(Door {
            name: format!("{} (door to {})", self.path(), self.operation.id),
            operation: self.operation,
            method: Method::POST,
            address: self.path(),
            body: Some(self.arguments.clone()),
            if_match: None,
            refusal: operation.refusal,
            control: self.control,
            shows: self.shows,
        })
    }
}

fn here() -> Value {
    json!({ "namespace": "{namespace}" })
}

fn configuration() -> Value {
    json!({ "namespace": "{namespace}", "configuration": "{configuration}" })
}

fn secret() -> Value {
    json!({ "namespace": "{namespace}", "secret": "{secret}" })
}

fn agent() -> Value {
    json!({ "namespace": "{namespace}", "agent": "{agent}" })
}

fn deployment() -> Value {
    json!({ "namespace": "{namespace}", "agent": "{agent}", "deployment": "{deployment}" })
}

/// `place` and more arguments.
fn and(mut place: Value, more: Value) -> Value {
    if let (Some(place), Value::Object(more)) = (place.as_object_mut(), more) {
        place.extend(more);
    }
    place
}

fn page(place: Value) -> Value {
    and(place, json!({ "query": {} }))
}

fn reads() -> Vec<Row> {
    vec![
        row("me_get", &op::ME, json!({})),
        row("me_permissions", &op::ME_PERMISSIONS, json!({ "resource": "namespaces/{namespace}/agents/{agent}" })),
        row("me_sessions", &op::ME_SESSIONS, json!({})).showing("session"),
        row("installation_get", &op::INSTALLATION_GET, json!({})),
        row("namespace_list", &op::NAMESPACE_LIST, page(json!({}))).showing("namespace"),
        row("namespace_get", &op::NAMESPACE_GET, here()).showing("namespace"),
        row("configuration_list", &op::CONFIGURATION_LIST, page(here())).showing("configuration"),
        row("configuration_get", &op::CONFIGURATION_GET, configuration()).showing("configuration"),
        row("configuration_generations", &op::CONFIGURATION_GENERATIONS, configuration()),
        row("configuration_generation", &op::CONFIGURATION_GENERATION, and(configuration(), json!({ "number": 1 }))),
        row("configuration_diff", &op::CONFIGURATION_DIFF, and(configuration(), json!({ "from": 1, "to": 2 }))),
        row("secret_list", &op::SECRET_LIST, page(here())).showing("secret"),
        row("secret_get", &op::SECRET_GET, secret()).showing("agent"),
        row("agent_list", &op::AGENT_LIST, page(here())).showing("agent"),
        row("agent_get", &op::AGENT_GET, agent()).showing("agent"),
        row("revision_list", &op::AGENT_REVISIONS, page(agent())).showing("revision"),
        row("revision_diff", &op::AGENT_DIFF, and(agent(), json!({ "from": "{revision}", "to": "draft" }))),
        row("deployment_list", &op::AGENT_DEPLOYMENTS, page(agent())).showing("deployment"),
        row("deployment_get", &op::AGENT_DEPLOYMENT, deployment()).showing("deployment"),
        row("agent_logs", &op::AGENT_LOGS, and(agent(), json!({ "lines": 5 }))),
        row("chat_history", &op::AGENT_CHAT_HISTORY, agent()),
        row("work_list", &op::WORK_LIST, page(json!({}))).showing("work"),
    ]
}

fn checks() -> Vec<Row> {
    let document = json!({ "values": document::embedded(), "secretBindings": bound() });
    vec![
        row("configuration_complete", &op::CONFIGURATION_VALIDATE, and(here(), json!({ "pointer": "/agents" }))),
        row("configuration_check", &op::CONFIGURATION_VALIDATE, and(here(), json!({ "request": document }))),
        row("credential_check", &op::CREDENTIAL_CHECK, and(here(), json!({ "request": credential() }))),
        row("agent_admission", &op::AGENT_DEPLOY, agent()),
        row("deployment_diagnose", &op::DEPLOYMENT_DIAGNOSE, deployment()),
    ]
}

fn writes() -> Vec<Row> {
    let (values, renamed) = (document::embedded(), json!({ "displayName": "Renamed" }));
    let made = json!({ "name": "made", "kind": "agent", "values": values, "secretBindings": bound() });
    let next = json!({ "draft": { "values": values, "secretBindings": bound() }, "generation": 2 });
    let value = json!({ "value": { "value": "sk-third" } });
    let consumer = and(secret(), json!({ "agent": "{agent}" }));
    vec![
        once("namespace_create", &op::NAMESPACE_CREATE, json!({ "request": { "name": "delta" } })),
        once("namespace_update", &op::NAMESPACE_UPDATE, and(here(), json!({ "patch": renamed, "generation": 1 }))),
        once("namespace_retry", &op::NAMESPACE_RETRY, here()).conflicts(Code::StateConflict),
        once("configuration_create", &op::CONFIGURATION_CREATE, and(here(), json!({ "request": made }))),
        once("configuration_put", &op::CONFIGURATION_PUT, and(configuration(), next)),
        once("secret_create", &op::SECRET_CREATE, and(here(), json!({ "request": { "name": "made", "value": "sk" } }))),
        once("secret_update", &op::SECRET_UPDATE, and(secret(), json!({ "patch": renamed, "generation": 2 }))),
        once("secret_set_value", &op::SECRET_SET_VALUE, and(secret(), value)),
        once("secret_grant", &op::SECRET_GRANT, consumer).showing("agent"),
        once("agent_create", &op::AGENT_CREATE, and(here(), json!({ "request": new_agent() }))),
        once("agent_update", &op::AGENT_UPDATE, and(agent(), json!({ "patch": draft(), "generation": 1 }))),
        once("agent_restart", &op::AGENT_RESTART, agent()),
        once("agent_rollback", &op::AGENT_ROLLBACK, and(agent(), json!({ "revision": 1 }))),
        once("work_cancel", &op::WORK_CANCEL, json!({ "work": "{work}" })).conflicts(Code::StateConflict),
        once("work_retry", &op::WORK_RETRY, json!({ "work": "{work}" })).conflicts(Code::StateConflict),
    ]
}

fn ends() -> Vec<Row> {
    let consumer = and(secret(), json!({ "agent": "{agent}" }));
    vec![
        once("agent_deploy", &op::AGENT_DEPLOY, and(agent(), json!({ "generation": 1 }))),
        once("deployment_cancel", &op::DEPLOYMENT_CANCEL, deployment()).conflicts(Code::StateConflict),
        once("agent_start", &op::AGENT_START, agent()).conflicts(Code::StateConflict),
        once("agent_stop", &op::AGENT_STOP, agent()).showing("agent"),
        once("agent_delete", &op::AGENT_DELETE, agent()).showing("agent"),
        once("secret_withdraw", &op::SECRET_WITHDRAW, consumer),
        once("secret_delete", &op::SECRET_DELETE, secret()).conflicts(Code::InUse),
        once("configuration_delete", &op::CONFIGURATION_DELETE, configuration()).conflicts(Code::InUse),
        once("namespace_delete", &op::NAMESPACE_DELETE, here()).conflicts(Code::NamespaceNotEmpty),
        once("me_session_end", &op::ME_SESSION_END, json!({ "session": "{session}" })),
    ]
}
