//! What each tenant has: one of every kind, made by the administrator and served by a worker.

use occ_control::{Cx, WriteOptions, agent, binding, configuration, deploy, key, role, secret, service_principal};
use occ_model::access::{CreateBinding, CreateKey, CreateRole, CreateServicePrincipal, Permission};
use occ_model::deployment::{Admitted, DeployOutcome};
use occ_model::id::{
    AgentId, BindingId, ConfigurationId, DeploymentId, KeyId, NamespaceId, RevisionId, RoleId, SecretId,
    ServicePrincipalId, SessionId, TypedId, WorkId, WorkloadId,
};
use occ_model::identity::{Actor, Identity};
use occ_model::name::Name;
use occ_model::operation::{Action, Kind};
use occ_model::reference::Selector;
use occ_model::secret::SecretValue;
use occ_testkit::{Tenant, TestControl, document};
use serde_json::json;
use uuid::Uuid;

use super::world::{Form, Side};

fn plain() -> WriteOptions {
    WriteOptions::default()
}

/// Makes them. A worker is at work.
pub async fn make(test: &TestControl, tenant: &Tenant) -> Side {
    let (mut side, cx, of) = (Side::default(), test.admin(), &tenant.namespace.meta.name);
    let name = |what: &str| -> Name { format!("{of}-{what}").parse().unwrap() };
    side.put("namespace", tenant.namespace.id, Some(of.as_str()));
    let admitted = serving(&cx, tenant, &mut side, [name("document"), name("key"), name("reader")]).await;
    test.idle().await.unwrap();
    second_generations(&cx, tenant, &side).await;
    side.put("deployment", admitted.deployment.id, None);
    side.put("revision", admitted.revision.id, None);
    let work: Uuid = sqlx::query_scalar("SELECT id FROM work WHERE deployment_id = $1")
        .bind(admitted.deployment.id.uuid())
        .fetch_one(test.control.store.pool())
        .await
        .unwrap();
    side.put("work", WorkId::from_uuid(work), None);
    let guest = test.person(&format!("{of} guest")).await.unwrap();
    let bound = binding::create_in(&cx, &Selector::Id(tenant.namespace.id), viewer(&guest), &plain()).await.unwrap();
    side.put("binding", bound.id, None);
    let everywhere = binding::create(&cx, viewer(&guest), &plain()).await.unwrap();
    side.put("binding_everywhere", everywhere.id, None);
    // Roles of the Installation are shown to whoever administers a Namespace: this one's name tells no tenant.
    let watcher = format!("watcher-{}", RoleId::new().uuid().simple()).parse().unwrap();
    automation(&cx, &mut side, name("robot"), watcher).await;
    for counted in ["generation", "version", "number"] {
        side.put(counted, 1, None);
    }
    side
}

/// A Configuration, a Secret and an Agent that serves with both.
async fn serving(cx: &Cx, tenant: &Tenant, side: &mut Side, [document, key, reader]: [Name; 3]) -> Admitted {
    let within = Selector::Id(tenant.namespace.id);
    let request = document::configuration(document.clone(), document::embedded());
    let made = configuration::create(cx, &within, request, &plain()).await.unwrap();
    side.put("configuration", made.id, Some(document.as_str()));
    let made = secret::create(cx, &within, document::secret(key.clone(), "sk-first"), &plain()).await.unwrap();
    side.put("secret", made.id, Some(key.as_str()));
    let request = document::agent(reader.clone(), document, Some(key.clone()));
    let agent = agent::create(cx, &within, request, &plain()).await.unwrap().id;
    side.put("agent", agent, Some(reader.as_str()));
    side.put("workload", Identity::workload(agent), None);
    secret::grant(cx, &within, &Selector::Name(key), &Selector::Id(agent), &plain()).await.unwrap();
    match deploy::deploy(cx, &within, &Selector::Id(agent), &plain()).await.unwrap() {
        DeployOutcome::Admitted(admitted) => *admitted,
        DeployOutcome::Report(report) => unreachable!("not admitted: {report:?}"),
    }
}

/// Another document and another value, while the first ones serve.
async fn second_generations(cx: &Cx, tenant: &Tenant, side: &Side) {
    let within = Selector::Id(tenant.namespace.id);
    let mut values = document::embedded();
    values["models"]["providers"]["testmodel"]["models"][0]["name"] = "Echo again".into();
    let options = WriteOptions { if_match: Some(1), ..plain() };
    let of = side.value("configuration", Form::Id).parse().unwrap();
    configuration::update(cx, &within, &of, &json!({ "values": values }), &options).await.unwrap();
    let value = SecretValue { value: Some("sk-second".to_owned()), value_base64: None };
    let of = side.value("secret", Form::Id).parse().unwrap();
    secret::set_value(cx, &within, &of, value, &plain()).await.unwrap();
}

fn viewer(who: &Actor) -> CreateBinding {
    CreateBinding { subject: who.identity.to_string(), role: "viewer".to_owned(), resource: None }
}

/// A role, and automation with a key.
async fn automation(cx: &Cx, side: &mut Side, robot: Name, watcher: Name) {
    let permissions = vec![Permission { action: Action::Read, kind: Kind::Agent }];
    let made = role::create(cx, CreateRole { name: watcher, permissions }, &plain()).await.unwrap();
    side.put("role", made.id, Some(made.name.as_str()));
    let made = service_principal::create(cx, CreateServicePrincipal { name: robot }, &plain()).await.unwrap();
    side.put("service_principal", made.id, Some(made.name.as_str()));
    let issued = key::create(cx, &Selector::Id(made.id), CreateKey { days: 1 }, &plain()).await.unwrap();
    side.put("key", issued.key.id, None);
}

/// Ids and names that nothing has; what is only counted, and people, are as everywhere.
pub fn absent(like: &Side) -> Side {
    let mut side = Side::default();
    side.put("namespace", NamespaceId::new(), Some("omega"));
    side.put("configuration", ConfigurationId::new(), Some("omega-document"));
    side.put("secret", SecretId::new(), Some("omega-key"));
    let agent = AgentId::new();
    side.put("agent", agent, Some("omega-reader"));
    side.put("workload", WorkloadId::from_uuid(agent.uuid()), None);
    side.put("deployment", DeploymentId::new(), None);
    side.put("revision", RevisionId::new(), None);
    side.put("work", WorkId::new(), None);
    side.put("binding", BindingId::new(), None);
    side.put("binding_everywhere", BindingId::new(), None);
    side.put("role", RoleId::new(), Some("omega-watcher"));
    side.put("service_principal", ServicePrincipalId::new(), Some("omega-robot"));
    side.put("key", KeyId::new(), None);
    side.put("session", SessionId::new(), None);
    for word in ["generation", "version", "number", "person"] {
        side.put(word, like.value(word, Form::Id), None);
    }
    side
}
