//! Bindings: delegation, tenancy, and that a change of them decides the next request.

use occ_control::{agent, binding, secret};
use occ_model::access::{CreateBinding, ResourceScope};
use occ_model::id::{AgentId, BindingId, NamespaceId, SecretId, TypedId, WorkloadId};
use occ_model::operation::Kind;
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_testkit::trace::{audited, trace};
use occ_testkit::{Cast, TestControl, document};
use sqlx::PgPool;

use crate::common::{a_secret, code, dry, exact, name, plain, problem, sel, whole};

fn within(cast: &Cast) -> Selector<NamespaceId> {
    Selector::Id(cast.a.namespace.id)
}

fn the_secret(id: SecretId) -> ResourceScope {
    ResourceScope { kind: Kind::Secret, id: id.to_string() }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_binding_decides_the_very_next_request_and_so_does_its_removal(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let new = test.cx(&cast.nobody);
    assert_eq!(code(secret::list(&new, &within(&cast), &ListQuery::default()).await), Code::NotFound);
    let bound =
        binding::create_in(&test.admin(), &within(&cast), whole(&cast.nobody, "viewer"), &plain()).await.unwrap();
    assert_eq!(bound.subject.name.as_deref(), Some("Nobody"));
    assert!(secret::list(&new, &within(&cast), &ListQuery::default()).await.is_ok());
    binding::delete_in(&test.admin(), &within(&cast), bound.id, &plain()).await.unwrap();
    assert_eq!(code(secret::list(&new, &within(&cast), &ListQuery::default()).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i16_an_exact_binding_shows_that_resource_and_no_other(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let shown = a_secret(&test.admin(), &cast.a, "shown").await;
    a_secret(&test.admin(), &cast.a, "hidden").await;
    let request = exact(&cast.nobody, "viewer", the_secret(shown.id));
    binding::create_in(&test.admin(), &within(&cast), request, &plain()).await.unwrap();
    let page = secret::list(&test.cx(&cast.nobody), &within(&cast), &ListQuery::default()).await.unwrap();
    assert_eq!(page.items.iter().map(|s| s.id).collect::<Vec<_>>(), [shown.id]);
    let other = secret::get(&test.cx(&cast.nobody), &within(&cast), &sel("hidden")).await;
    assert_eq!(code(other), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn nobody_grants_what_they_do_not_hold(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cast = test.cast().await.unwrap();
    let keeper = test.person("Nia").await.unwrap();
    test.bind(&keeper, "namespace-admin", Some(cast.a.namespace.id)).await.unwrap();
    let cx = test.cx(&keeper);
    let grant = async |role: &str| binding::create_in(&cx, &within(&cast), whole(&cast.nobody, role), &plain()).await;
    assert!(grant("agent-developer").await.is_ok());
    assert!(grant("namespace-admin").await.is_ok());
    let before = trace(&pool).await.unwrap();
    let refused = problem(grant("installation-admin").await);
    assert_eq!((refused.code, refused.errors[0].pointer.as_str()), (Code::Forbidden, "/role"));
    assert!(refused.detail.contains("create:installation"), "{}", refused.detail);
    assert_eq!(problem(grant("auditor").await).code, Code::Forbidden);
    // A refusal leaves nothing behind but its audit event.
    let mut after = trace(&pool).await.unwrap();
    for table in ["audit_event", "audit_event (content)"] {
        after.0.insert(table.to_owned(), before.0[table]);
    }
    assert_eq!(after, before);
    let outcomes: Vec<_> =
        audited(&pool, "namespace_binding.create").await.unwrap().into_iter().map(|(o, _)| o).collect();
    assert_eq!(outcomes, ["success", "success", "denied", "denied"]);
    // Nor elsewhere: neither in another Namespace nor in the Installation.
    let foreign = Selector::Id(cast.b.namespace.id);
    let elsewhere = binding::create_in(&cx, &foreign, whole(&cast.nobody, "viewer"), &plain()).await;
    assert_eq!(code(elsewhere), Code::NotFound);
    assert_eq!(code(binding::create(&cx, whole(&cast.nobody, "viewer"), &plain()).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_another_tenants_resources_and_identities_are_as_if_absent(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let foreign = a_secret(&test.admin(), &cast.b, "theirs").await;
    let absent = SecretId::new();
    let ask = async |id: SecretId| {
        let request = exact(&cast.nobody, "viewer", the_secret(id));
        problem(binding::create_in(&test.admin(), &within(&cast), request, &plain()).await)
    };
    let (of_theirs, of_none) = (ask(foreign.id).await, ask(absent).await);
    assert_eq!(of_theirs, of_none);
    assert_eq!((of_none.code, of_none.errors[0].pointer.as_str()), (Code::ReferenceUnusable, "/resource/id"));

    // An Agent of another Namespace as the subject.
    let there = Selector::Id(cast.b.namespace.id);
    let cx = test.admin();
    let document = document::configuration(name("base"), document::embedded());
    occ_control::configuration::create(&cx, &there, document, &plain()).await.unwrap();
    let made = agent::create(&cx, &there, document::agent(name("spy"), name("base"), None), &plain()).await.unwrap();
    let mine = a_secret(&cx, &cast.a, "mine").await;
    let ask = async |agent: AgentId| {
        let subject = WorkloadId::from_uuid(agent.uuid()).to_string();
        let request =
            CreateBinding { subject, role: "secret-consumer".to_owned(), resource: Some(the_secret(mine.id)) };
        problem(binding::create_in(&test.admin(), &within(&cast), request, &plain()).await)
    };
    let (of_theirs, of_none) = (ask(made.id).await, ask(AgentId::new()).await);
    assert_eq!(of_theirs, of_none);
    assert_eq!((of_none.code, of_none.errors[0].pointer.as_str()), (Code::ReferenceUnusable, "/subject"));
    // Nor in the Installation as a whole, where it would reach across.
    let subject = WorkloadId::from_uuid(made.id.uuid()).to_string();
    let wide = CreateBinding { subject, role: "secret-consumer".to_owned(), resource: None };
    assert_eq!(code(binding::create(&cx, wide, &plain()).await), Code::ReferenceUnusable);

    // Another tenant's binding, through one's own path.
    let theirs = binding::create_in(&cx, &there, whole(&cast.nobody, "viewer"), &plain()).await.unwrap();
    let remove = async |id: BindingId| problem(binding::delete_in(&test.admin(), &within(&cast), id, &plain()).await);
    assert_eq!(remove(theirs.id).await, remove(BindingId::new()).await);
    assert!(binding::list_in(&cx, &there, &ListQuery::default()).await.unwrap().items.contains(&theirs));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i11_a_grant_on_one_secret_is_none_on_the_next(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.admin();
    let document = document::configuration(name("base"), document::embedded());
    occ_control::configuration::create(&cx, &within(&cast), document, &plain()).await.unwrap();
    let made =
        agent::create(&cx, &within(&cast), document::agent(name("one"), name("base"), None), &plain()).await.unwrap();
    let (granted, other) = (a_secret(&cx, &cast.a, "granted").await, a_secret(&cx, &cast.a, "other").await);
    let own = WorkloadId::from_uuid(made.id.uuid()).to_string();
    let request = CreateBinding {
        subject: own.clone(),
        role: "secret-consumer".to_owned(),
        resource: Some(the_secret(granted.id)),
    };
    binding::create_in(&cx, &within(&cast), request, &plain()).await.unwrap();
    let ask = async |identity: Option<&str>, id: SecretId| {
        let request = occ_model::access::Explain {
            identity: identity.map(ToOwned::to_owned),
            action: occ_model::operation::Action::Use,
            kind: Kind::Secret,
            namespace: Some(cast.a.namespace.id.to_string()),
            resource: Some(id.to_string()),
        };
        occ_control::access::explain(&test.admin(), &request).await.unwrap().allowed
    };
    assert!(ask(Some(&own), granted.id).await);
    assert!(!ask(Some(&own), other.id).await);
    // The caller's own decision is another one.
    assert!(ask(None, other.id).await);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_last_administrator_stays_one(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cx = test.admin();
    let all = binding::list(&cx, &ListQuery::default()).await.unwrap().items;
    let own = all
        .iter()
        .find(|b| b.subject.id == test.admin.identity.to_string() && b.role.as_str() == "installation-admin")
        .unwrap();
    let before = trace(&pool).await.unwrap();
    assert_eq!(code(binding::delete(&cx, own.id, &plain()).await), Code::StateConflict);
    assert_eq!(trace(&pool).await.unwrap(), before);
    let second = test.person("Bea").await.unwrap();
    binding::create(&cx, whole(&second, "installation-admin"), &plain()).await.unwrap();
    binding::delete(&cx, own.id, &plain()).await.unwrap();
    // From now on, the other one decides.
    assert_eq!(code(binding::create(&cx, whole(&second, "viewer"), &plain()).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_says_what_would_be_and_leaves_nothing(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cast = test.cast().await.unwrap();
    let before = trace(&pool).await.unwrap();
    let would = binding::create_in(&test.admin(), &within(&cast), whole(&cast.nobody, "viewer"), &dry()).await.unwrap();
    assert_eq!(would.role.as_str(), "viewer");
    assert_eq!(trace(&pool).await.unwrap(), before);
    binding::create_in(&test.admin(), &within(&cast), whole(&cast.nobody, "viewer"), &plain()).await.unwrap();
    let twice = binding::create_in(&test.admin(), &within(&cast), whole(&cast.nobody, "viewer"), &plain()).await;
    assert_eq!(code(twice), Code::StateConflict);
}
