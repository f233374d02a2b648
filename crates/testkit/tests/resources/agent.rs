//! Agents' drafts.

use occ_control::{agent, configuration, secret};
use occ_model::agent::{DesiredState, ExecutionMode, Health, RouteState};
use occ_model::id::TypedId;
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_testkit::trace::{audited, trace};
use occ_testkit::{Tenant, TestControl, document};
use serde_json::json;
use sqlx::PgPool;

use crate::common::*;

/// A Configuration `base` and a Secret `key` in the tenant's Namespace.
async fn furnish(t: &TestControl, tenant: &Tenant) {
    let (cx, ns) = (t.cx(&tenant.developer), occ_model::reference::Selector::Id(tenant.namespace.id));
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    secret::create(&cx, &ns, document::secret(name("key"), "hunter2"), &plain()).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_is_made_stopped_with_references_as_names(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    furnish(&t, &tenant).await;
    let (cx, ns, reader) = (t.cx(&tenant.developer), sel("papers"), sel("reader"));
    let mut request = document::agent(name("reader"), name("base"), Some(name("key")));
    request.display_name = Some("<script>alert(1)</script>".parse().unwrap());
    request.initial_workspace_files = [("AGENTS.md".to_owned(), "Be kind.".to_owned())].into();
    let made = agent::create(&cx, &ns, request.clone(), &keyed("k")).await.unwrap();
    assert_eq!(agent::create(&cx, &ns, request, &keyed("k")).await.unwrap(), made);
    assert_eq!(agent::get(&cx, &ns, &reader).await.unwrap(), made);
    assert_eq!(
        (made.desired_state, made.route_state, made.health.state, made.drift, made.meta.generation),
        (DesiredState::Stopped, RouteState::Closed, Health::Stopped, false, 1)
    );
    assert_eq!((made.configuration.clone(), made.namespace.clone()), (sel("base"), name("papers")));
    assert!(made.resolved.configuration.is_some() && made.resolved.api_key.is_some());
    assert_eq!(made.meta.title(), "<script>alert(1)</script>");
    assert_eq!(agent::list(&cx, &ns, &ListQuery::default()).await.unwrap().items, [made]);
    assert_eq!(audited(&pool, "agent.create").await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_update_counts_changes_of_the_draft_only(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    furnish(&t, &tenant).await;
    let (cx, ns, reader) = (t.cx(&tenant.developer), sel("papers"), sel("reader"));
    let made = agent::create(&cx, &ns, document::agent(name("reader"), name("base"), Some(name("key"))), &plain())
        .await
        .unwrap();
    let patch = json!({"harnessAuth": null, "labels": {"team": "x"}});
    assert_eq!(code(agent::update(&cx, &ns, &reader, &patch, &plain()).await), Code::PreconditionRequired);
    let new = agent::update(&cx, &ns, &reader, &patch, &if_match(1)).await.unwrap();
    assert_eq!((new.meta.generation, new.harness_auth.clone(), new.resolved.api_key), (2, None, None));
    assert_eq!(code(agent::update(&cx, &ns, &reader, &patch, &if_match(1)).await), Code::GenerationMismatch);
    // The same again, and the same Configuration by its id, change nothing.
    let by_id = json!({"labels": {"team": "x"}, "configuration": made.resolved.configuration.unwrap()});
    assert_eq!(agent::update(&cx, &ns, &reader, &by_id, &if_match(2)).await.unwrap(), new);
    for field in ["name", "id", "activeRevision", "desiredState", "routeState", "initialWorkspaceFiles", "resolved"] {
        let refused = agent::update(&cx, &ns, &reader, &json!({field: null}), &if_match(2)).await;
        assert_eq!(places(refused), (Code::InvalidFields, vec![(format!("/{field}"), "READ_ONLY".into())]));
    }
    let unknown = agent::update(&cx, &ns, &reader, &json!({"models": "x"}), &if_match(2)).await;
    assert_eq!(places(unknown), (Code::InvalidFields, vec![("/models".into(), "UNKNOWN_FIELD".into())]));
    let wrong = agent::update(&cx, &ns, &reader, &json!({"executionMode": "hosted"}), &if_match(2)).await;
    assert_eq!(places(wrong), (Code::InvalidFields, vec![("/executionMode".into(), "INVALID".into())]));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_i11_missing_foreign_and_forbidden_references_are_one_and_the_same(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    furnish(&t, &cast.a).await;
    furnish(&t, &cast.b).await;
    let (a, ns) = (t.cx(&cast.a.developer), sel("tenant-a"));
    let (b, ns_b) = (t.cx(&cast.b.developer), sel("tenant-b"));
    let foreign_configuration = configuration::get(&b, &ns_b, &sel("base")).await.unwrap().id;
    let foreign_secret = secret::get(&b, &ns_b, &sel("key")).await.unwrap().id;
    let unusable = |pointer: &str| (pointer.to_owned(), "REFERENCE_UNUSABLE".to_owned());
    let mut request = document::agent(name("reader"), name("base"), Some(name("key")));
    for configuration in ["no-such", &foreign_configuration.to_string()] {
        request.configuration = sel(configuration);
        let refused = places(agent::create(&a, &ns, request.clone(), &plain()).await);
        assert_eq!(refused, (Code::ReferenceUnusable, vec![unusable("/configuration")]));
    }
    for key in ["no-such", &foreign_secret.to_string()] {
        let mut request = document::agent(name("reader"), name("base"), Some(name("key")));
        request.harness_auth.as_mut().unwrap().api_key = Some(sel(key));
        let refused = places(agent::create(&a, &ns, request, &plain()).await);
        assert_eq!(refused, (Code::ReferenceUnusable, vec![unusable("/harnessAuth/apiKey")]));
    }
    // Who may make Agents here but not use the Secret.
    let author = t.person("Author").await.unwrap();
    let base = configuration::get(&a, &ns, &sel("base")).await.unwrap().id;
    let exact =
        |id, text| occ_store::binding::Exact { kind: occ_model::operation::Kind::Configuration, id, name: text };
    t.bind_exact(author.identity, "viewer", Some(cast.a.namespace.id), Some(exact(base.uuid(), "base"))).await.unwrap();
    maker(&t, &pool, &author, &cast.a).await;
    let cx = t.cx(&author);
    let refused = agent::create(&cx, &ns, document::agent(name("x"), name("base"), Some(name("key"))), &plain()).await;
    assert_eq!(places(refused), (Code::ReferenceUnusable, vec![unusable("/harnessAuth/apiKey")]));
    agent::create(&cx, &ns, document::agent(name("x"), name("base"), None), &plain()).await.unwrap();
    // What stands in the draft already needs no new decision; what is new does.
    agent::create(&a, &ns, document::agent(name("y"), name("base"), Some(name("key"))), &plain()).await.unwrap();
    agent::update(&cx, &ns, &sel("y"), &json!({"description": "d"}), &if_match(1)).await.unwrap();
    let auth = json!({"harnessAuth": {"provider": "testmodel", "apiKey": "key"}});
    let refused = agent::update(&cx, &ns, &sel("x"), &auth, &if_match(1)).await;
    assert_eq!(places(refused), (Code::ReferenceUnusable, vec![unusable("/harnessAuth/apiKey")]));
}

/// A role of the Namespace that makes and edits Agents and nothing else.
async fn maker(t: &TestControl, pool: &PgPool, who: &occ_model::identity::Actor, tenant: &Tenant) {
    let role = occ_model::id::RoleId::new();
    sqlx::query("INSERT INTO role (id, namespace_id, name, permissions) VALUES ($1, $2, 'maker', $3)")
        .bind(role.uuid())
        .bind(tenant.namespace.id.uuid())
        .bind(vec!["create:agent".to_owned(), "read:agent".to_owned(), "update:agent".to_owned()])
        .execute(pool)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id) VALUES ($1, 'principal', $2, $3, $4)",
    )
    .bind(occ_model::id::BindingId::new().uuid())
    .bind(who.identity.uuid())
    .bind(role.uuid())
    .bind(tenant.namespace.id.uuid())
    .execute(pool)
    .await
    .unwrap();
    // Any bump: the rows above are new to the policy.
    t.bind(who, "auditor", Some(tenant.namespace.id)).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn bad_drafts_are_refused_at_their_place(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    furnish(&t, &tenant).await;
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let before = trace(&pool).await.unwrap();
    let base = document::agent(name("reader"), name("base"), Some(name("key")));
    let mut request = base.clone();
    request.initial_workspace_files = [("../x".to_owned(), String::new())].into();
    let refused = places(agent::create(&cx, &ns, request, &plain()).await);
    assert_eq!(refused, (Code::InvalidFields, vec![("/initialWorkspaceFiles/..~1x".into(), "PATH".into())]));
    let mut request = base.clone();
    request.harness_auth.as_mut().unwrap().api_key = None;
    let refused = places(agent::create(&cx, &ns, request, &plain()).await);
    assert_eq!(refused, (Code::InvalidFields, vec![("/harnessAuth/apiKey".into(), "REQUIRED".into())]));
    let mut request = base.clone();
    request.harness_auth.as_mut().unwrap().provider = "a/b\u{0}".into();
    let refused = places(agent::create(&cx, &ns, request, &plain()).await);
    assert_eq!(refused, (Code::InvalidFields, vec![("/harnessAuth/provider".into(), "INVALID".into())]));
    let mut request = base.clone();
    request.backend_id = Some("x".into());
    assert_eq!(code(agent::create(&cx, &ns, request, &plain()).await), Code::BackendUnknown);
    t.target.modes(vec![ExecutionMode::Dedicated]);
    assert_eq!(code(agent::create(&cx, &ns, base, &plain()).await), Code::NotSupported);
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_another_tenants_agent_is_not_there(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    furnish(&t, &cast.a).await;
    let (a, b, ns_a) = (t.cx(&cast.a.developer), t.cx(&cast.b.developer), sel("tenant-a"));
    let made = agent::create(&a, &ns_a, document::agent(name("reader"), name("base"), None), &plain()).await.unwrap();
    let expected = problem(agent::get(&b, &sel("tenant-b"), &sel("no-such")).await);
    let by_id = occ_model::reference::Selector::Id(made.id);
    for (ns, of) in [(sel("tenant-b"), &by_id), (sel("tenant-a"), &by_id), (sel("tenant-a"), &sel("reader"))] {
        assert_eq!(problem(agent::get(&b, &ns, of).await), expected);
        assert_eq!(problem(agent::update(&b, &ns, of, &json!({}), &if_match(1)).await), expected);
    }
    assert_eq!(problem(agent::list(&b, &ns_a, &ListQuery::default()).await), expected);
    let request = document::agent(name("x"), name("base"), None);
    assert_eq!(problem(agent::create(&b, &ns_a, request.clone(), &plain()).await), expected);
    let viewer = t.cx(&cast.a.viewer);
    assert_eq!(code(agent::create(&viewer, &ns_a, request, &plain()).await), Code::Forbidden);
    assert_eq!(code(agent::update(&viewer, &ns_a, &by_id, &json!({}), &if_match(1)).await), Code::Forbidden);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_writes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    furnish(&t, &tenant).await;
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    agent::create(&cx, &ns, document::agent(name("reader"), name("base"), None), &plain()).await.unwrap();
    let before = trace(&pool).await.unwrap();
    agent::create(&cx, &ns, document::agent(name("new"), name("base"), None), &dry()).await.unwrap();
    let options = occ_control::WriteOptions { if_match: Some(1), ..dry() };
    agent::update(&cx, &ns, &sel("reader"), &json!({"description": "d"}), &options).await.unwrap();
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_quota_holds_when_many_are_made_at_once(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let quotas = occ_model::namespace::Quotas { agents: Some(3), ..Default::default() };
    let tenant = t.tenant_with("papers", quotas).await.unwrap();
    furnish(&t, &tenant).await;
    let attempts = (0..6).map(|n| {
        let cx = t.cx(&tenant.developer);
        async move {
            let request = document::agent(name(&format!("a{n}")), name("base"), None);
            agent::create(&cx, &sel("papers"), request, &plain()).await
        }
    });
    let results = futures::future::join_all(attempts).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
    for refused in results.into_iter().filter(Result::is_err) {
        assert_eq!(code(refused), Code::QuotaExceeded);
    }
}
