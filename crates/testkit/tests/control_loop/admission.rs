//! Admission: each check with its code and place, in the specified order; a dry run and a refusal leave nothing behind.

use occ_control::{agent, configuration, deploy, lifecycle, rollback, secret};
use occ_driver::fake::{Fault, Method, Rule};
use occ_model::agent::Rollback;
use occ_model::deployment::DeployOutcome;
use occ_model::failure::FailureCode;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_testkit::trace::{audited, trace};
use occ_testkit::{document, workload};
use serde_json::json;
use sqlx::PgPool;

use crate::world::{World, admitted, dry, keyed, plain};

impl World {
    async fn refusal(&self) -> Problem {
        deploy::deploy(&self.dev(), &self.ns(), &self.of(), &plain()).await.unwrap_err().problem()
    }
}

fn places(problem: &Problem) -> Vec<(&str, &str)> {
    problem.errors.iter().map(|error| (error.pointer.as_str(), error.code.as_str())).collect()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i3_revision_deployment_audit_and_work_are_committed_together(pool: PgPool) {
    let w = World::new(pool).await;
    let made = w.deploy().await;
    assert_eq!(made.revision.number, 1);
    let events = audited(&w.pool, "agent.deploy").await.unwrap();
    assert_eq!(events, [("success".to_owned(), None)]);
    let evidence: serde_json::Value =
        sqlx::query_scalar("SELECT evidence FROM audit_event WHERE action = 'agent.deploy'")
            .fetch_one(&w.pool)
            .await
            .unwrap();
    // I11: the Agent, its Configuration, and the one Secret for the caller and for the Agent itself.
    let decided: Vec<_> =
        evidence.as_array().unwrap().iter().map(|d| (d["who"].clone(), d["action"].clone())).collect();
    let expected = [("caller", "deploy"), ("caller", "read"), ("caller", "use"), ("agent", "use")];
    assert_eq!(decided, expected.map(|(who, action)| (json!(who), json!(action))));
    let rows: (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM work WHERE kind = 'revision_deploy'), (SELECT count(*) FROM deployment),
                (SELECT count(*) FROM outbox WHERE kind IN ('revision', 'deployment') AND op = 'created')",
    )
    .fetch_one(&w.pool)
    .await
    .unwrap();
    assert_eq!(rows, (1, 1, 2));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i3_without_its_audit_event_nothing_is_admitted(pool: PgPool) {
    let w = World::new(pool).await;
    sqlx::raw_sql(
        "CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$;
         CREATE TRIGGER no_audit BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION no_audit();",
    )
    .execute(&w.pool)
    .await
    .unwrap();
    let before = trace(&w.pool).await.unwrap();
    assert_eq!(w.refusal().await.code, Code::Internal);
    assert_eq!(trace(&w.pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_reports_every_check_and_the_difference_and_writes_nothing(pool: PgPool) {
    let w = World::new(pool).await;
    let before = trace(&w.pool).await.unwrap();
    let DeployOutcome::Report(report) = deploy::deploy(&w.dev(), &w.ns(), &w.of(), &dry()).await.unwrap() else {
        panic!("a dry run was admitted")
    };
    assert!(report.admitted);
    let checks: Vec<_> = report.checks.iter().map(|check| check.check.as_str()).collect();
    let order = [
        "agent_deploy",
        "namespace_ready",
        "agent_not_deleting",
        "drivers_available",
        "configuration_read",
        "document",
        "harness_selection",
        "backend",
        "reference",
        "agent_grant",
        "quota",
        "capacity",
    ];
    assert_eq!(checks, order);
    assert!(report.diff.iter().any(|entry| entry.pointer == "/values"));
    assert_eq!(trace(&w.pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_refusal_leaves_its_audit_event_and_nothing_else(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.unbind(workload(w.agent)).await.unwrap();
    let before = trace(&w.pool).await.unwrap();
    let problem = w.refusal().await;
    assert_eq!(problem.code, Code::AgentGrantMissing);
    assert_eq!(places(&problem), [("/harnessAuth/apiKey", "AGENT_GRANT_MISSING")]);
    let mut after = trace(&w.pool).await.unwrap();
    for key in ["audit_event", "audit_event (content)"] {
        assert_ne!(after.0[key], before.0[key]);
        after.0.insert(key.to_owned(), before.0[key]);
    }
    assert_eq!(after, before);
    assert_eq!(
        audited(&w.pool, "agent.deploy").await.unwrap(),
        [("failure".to_owned(), Some("AGENT_GRANT_MISSING".to_owned()))]
    );
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i11_a_secret_needs_the_callers_own_decision(pool: PgPool) {
    let w = World::new(pool).await;
    let deployer = w.t.person("Deployer").await.unwrap();
    w.t.bind(&deployer, "viewer", Some(w.tenant.namespace.id)).await.unwrap();
    let role = sqlx::query_scalar::<_, uuid::Uuid>(
        "INSERT INTO role (id, name, permissions) VALUES (gen_random_uuid(), 'deployer', '{deploy:agent}') RETURNING id",
    );
    let role = role.fetch_one(&w.pool).await.unwrap();
    sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id)
         VALUES (gen_random_uuid(), 'principal', $1, $2, $3)",
    )
    .bind(deployer.identity.uuid())
    .bind(role)
    .bind(occ_model::id::TypedId::uuid(w.tenant.namespace.id))
    .execute(&w.pool)
    .await
    .unwrap();
    sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(&w.pool).await.unwrap();
    let problem = deploy::deploy(&w.cx(&deployer), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(places(&problem), [("/harnessAuth/apiKey", "REFERENCE_UNUSABLE")]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_absent_foreign_and_unseen_agents_get_the_same_answer(pool: PgPool) {
    let w = World::new(pool).await;
    let other = w.t.tenant("others").await.unwrap();
    let stranger = w.t.cx(&other.developer);
    let foreign = deploy::deploy(&stranger, &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    let absent_id = Selector::Id(occ_model::id::AgentId::new());
    let absent = deploy::deploy(&stranger, &w.ns(), &absent_id, &plain()).await.unwrap_err().problem();
    let in_own =
        deploy::deploy(&stranger, &Selector::Id(other.namespace.id), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(foreign.code, Code::NotFound);
    assert_eq!((foreign.clone(), foreign.clone()), (absent, in_own));
    let viewer = deploy::deploy(&w.cx(&w.tenant.viewer), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(viewer.code, Code::Forbidden);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_target_and_the_quota_can_refuse(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.target.rule(Rule::new(Method::Validate, Fault::Fail(FailureCode::InsufficientCapacity)));
    assert_eq!(w.refusal().await.code, Code::InsufficientCapacity);
    sqlx::query("UPDATE namespace SET quotas = '{\"runningAgents\": 1}'").execute(&w.pool).await.unwrap();
    let other = w.make_agent("other").await;
    w.deploy().await;
    let second = deploy::deploy(&w.dev(), &w.ns(), &Selector::Id(other), &plain()).await.unwrap_err().problem();
    assert_eq!(second.code, Code::QuotaExceeded);
    // What runs already may be deployed again, also when fewer may run than do.
    w.deploy().await;
    sqlx::query("UPDATE namespace SET quotas = '{\"runningAgents\": 0}'").execute(&w.pool).await.unwrap();
    w.deploy().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn two_agents_admitted_at_once_do_not_exceed_the_quota(pool: PgPool) {
    let w = World::new(pool).await;
    sqlx::query("UPDATE namespace SET quotas = '{\"runningAgents\": 1}'").execute(&w.pool).await.unwrap();
    let other = Selector::Id(w.make_agent("other").await);
    let (cx, ns, of, plain) = (w.dev(), w.ns(), w.of(), plain());
    let (one, two) = tokio::join!(deploy::deploy(&cx, &ns, &of, &plain), deploy::deploy(&cx, &ns, &other, &plain));
    assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1, "{one:?} {two:?}");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_namespace_that_is_not_ready_admits_nothing(pool: PgPool) {
    let w = World::new(pool).await;
    sqlx::query("UPDATE namespace SET status = 'failed'").execute(&w.pool).await.unwrap();
    assert_eq!(w.refusal().await.code, Code::NamespaceNotReady);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_a_double_click_deploys_once(pool: PgPool) {
    let w = World::new(pool).await;
    let (cx, ns, of, key) = (w.dev(), w.ns(), w.of(), keyed("click-1"));
    let (one, two) = tokio::join!(deploy::deploy(&cx, &ns, &of, &key), deploy::deploy(&cx, &ns, &of, &key));
    let (one, two) = (admitted(one.unwrap()), admitted(two.unwrap()));
    assert_eq!((one.deployment.id, one.revision.id), (two.deployment.id, two.revision.id));
    let made: i64 = sqlx::query_scalar("SELECT count(*) FROM agent_revision").fetch_one(&w.pool).await.unwrap();
    assert_eq!(made, 1);
    // Also after it is over, and although admission would refuse it now.
    w.t.unbind(workload(w.agent)).await.unwrap();
    let again = admitted(deploy::deploy(&w.dev(), &w.ns(), &w.of(), &keyed("click-1")).await.unwrap());
    assert_eq!(again.deployment.id, one.deployment.id);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn if_match_is_the_drafts_generation(pool: PgPool) {
    let w = World::new(pool).await;
    let generation = w.agent().await.meta.generation;
    let stale = occ_control::WriteOptions { if_match: Some(generation + 1), ..plain() };
    let refused = deploy::deploy(&w.dev(), &w.ns(), &w.of(), &stale).await.unwrap_err().problem();
    assert_eq!(refused.code, Code::GenerationMismatch);
    let fresh = occ_control::WriteOptions { if_match: Some(generation), ..plain() };
    admitted(deploy::deploy(&w.dev(), &w.ns(), &w.of(), &fresh).await.unwrap());
    // Deploying is no change of the draft.
    assert_eq!(w.agent().await.meta.generation, generation);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_mode_that_the_document_does_not_fit_names_the_places(pool: PgPool) {
    let w = World::new(pool).await;
    let now = w.agent().await;
    let options = occ_control::WriteOptions { if_match: Some(now.meta.generation), ..plain() };
    agent::update(&w.dev(), &w.ns(), &w.of(), &json!({ "executionMode": "dedicated" }), &options).await.unwrap();
    let problem = w.refusal().await;
    assert_eq!(problem.code, Code::HarnessSelection);
    assert!(problem.errors.iter().all(|error| error.pointer.starts_with("/configuration/values/")), "{problem:?}");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_rollback_is_a_new_revision_by_todays_rules(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    w.edit_configuration("Second").await;
    w.serving(&worker).await;
    secret::set_value(&w.dev(), &w.ns(), &"key".parse().unwrap(), value("sk-second"), &plain()).await.unwrap();
    let to = Rollback { revision: 1 };
    let back = admitted(rollback::rollback(&w.dev(), &w.ns(), &w.of(), to, &plain()).await.unwrap());
    assert_eq!((back.revision.number, back.revision.copied_from), (3, Some(1)));
    assert_eq!(back.revision.snapshot.values, first.revision.snapshot.values);
    assert_eq!(back.revision.snapshot.secrets[0].version, 2, "secrets of today");
    w.settled(back.deployment.id).await;
    w.assert_serves(back.revision.id).await;
    let unknown = rollback::rollback(&w.dev(), &w.ns(), &w.of(), Rollback { revision: 9 }, &plain()).await;
    assert_eq!(places(&unknown.unwrap_err().problem()), [("/revision", "UNKNOWN_REVISION")]);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn starting_and_restarting_need_something_to_start(pool: PgPool) {
    let w = World::new(pool).await;
    let start = lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(start.code, Code::NothingToStart);
    let restart = lifecycle::restart(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(restart.code, Code::AgentNotServing);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_a_revision_refers_to_is_of_its_own_namespace(pool: PgPool) {
    let w = World::new(pool).await;
    let other = w.t.tenant("others").await.unwrap();
    let cx = w.t.cx(&other.developer);
    let ns = Selector::Id(other.namespace.id);
    let request = document::configuration("theirs".parse().unwrap(), document::embedded());
    let theirs = configuration::create(&cx, &ns, request, &plain()).await.unwrap();
    let now = w.agent().await;
    let options = occ_control::WriteOptions { if_match: Some(now.meta.generation), ..plain() };
    let patch = json!({ "configuration": theirs.id });
    let problem = agent::update(&w.dev(), &w.ns(), &w.of(), &patch, &options).await.unwrap_err().problem();
    assert_eq!(places(&problem), [("/configuration", "REFERENCE_UNUSABLE")]);
}

fn value(text: &str) -> occ_model::secret::SecretValue {
    serde_json::from_value(json!({ "value": text })).unwrap()
}
