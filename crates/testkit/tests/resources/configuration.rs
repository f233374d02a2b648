//! Configurations.

use occ_control::{agent, configuration, secret};
use occ_model::configuration::{CheckConfiguration, ConfigurationDraft, SecretBinding};
use occ_model::deployment::DiffOp;
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_testkit::trace::{audited, trace};
use occ_testkit::{TestControl, document};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::common::*;

/// The small document with one place changed.
fn with(pointer: &str, value: Value) -> Value {
    let mut values = document::embedded();
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    let mut at = &mut values;
    for token in parent.split('/').skip(1) {
        at = at.as_object_mut().unwrap().entry(token).or_insert_with(|| json!({}));
    }
    at.as_object_mut().unwrap().insert(last.to_owned(), value);
    values
}

fn bound(pointer: &str, secret: &str) -> SecretBinding {
    SecretBinding { pointer: pointer.to_owned(), secret: sel(secret) }
}

const TOKEN: &str = "/channels/telegram/botToken";

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_is_saved_edited_and_its_generations_are_kept(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    let made = configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    assert_eq!(configuration::get(&cx, &ns, &base).await.unwrap(), made);
    let patch = json!({"values": {"agents": {"defaults": {"model": {"primary": "testmodel/other"}}}}});
    assert_eq!(code(configuration::update(&cx, &ns, &base, &patch, &plain()).await), Code::PreconditionRequired);
    let new = configuration::update(&cx, &ns, &base, &patch, &if_match(1)).await.unwrap();
    assert_eq!(new.meta.generation, 2);
    assert_eq!(code(configuration::update(&cx, &ns, &base, &patch, &if_match(1)).await), Code::GenerationMismatch);
    // Texts alone are no new document.
    let titled = configuration::update(&cx, &ns, &base, &json!({"displayName": "Base"}), &if_match(2)).await.unwrap();
    assert_eq!(titled.meta.generation, 3);
    assert_eq!(
        configuration::update(&cx, &ns, &base, &json!({"displayName": "Base"}), &if_match(3)).await.unwrap(),
        titled
    );
    let kept = configuration::generations(&cx, &ns, &base).await.unwrap().items;
    assert_eq!(kept.iter().map(|kept| kept.generation).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(kept[0].created_by, tenant.developer.name);
    let first = configuration::generation(&cx, &ns, &base, 1).await.unwrap();
    assert_eq!(first.values, Some(document::embedded()));
    let diff = configuration::diff(&cx, &ns, &base, None, None).await.unwrap();
    let entry = ("/values/agents/defaults/model/primary", DiffOp::Changed);
    assert_eq!(diff.iter().map(|e| (e.pointer.as_str(), e.op)).collect::<Vec<_>>(), [entry]);
    assert_eq!(code(configuration::generation(&cx, &ns, &base, 9).await), Code::NotFound);
    assert_eq!(code(configuration::diff(&cx, &ns, &base, Some(9), None).await), Code::NotFound);
    let read_only = configuration::update(&cx, &ns, &base, &json!({"kind": "agent"}), &if_match(3)).await;
    assert_eq!(places(read_only), (Code::InvalidFields, vec![("/kind".into(), "READ_ONLY".into())]));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn only_the_last_fifty_generations_are_kept(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    for generation in 1..55 {
        let model = format!("testmodel/m{generation}");
        let patch = json!({"values": {"agents": {"defaults": {"model": {"primary": model}}}}});
        configuration::update(&cx, &ns, &base, &patch, &if_match(generation)).await.unwrap();
    }
    let kept = configuration::generations(&cx, &ns, &base).await.unwrap().items;
    assert_eq!((kept.len(), kept[0].generation, kept[49].generation), (50, 55, 6));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_bad_document_is_refused_at_its_place_and_the_good_one_stays(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    let good = configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    let before = trace(&pool).await.unwrap();
    let cases = [
        (with("/agents/defaults/suppressX", json!(true)), Code::InvalidDocument, "/values/agents/defaults/suppressX"),
        (with("/agents/x", json!(1)), Code::InvalidDocument, "/values/agents/x"),
        (with("/gateway/bind", json!("lan ")), Code::ManagedKey, "/values/gateway/bind"),
        (
            with("/agents/defaults/model", json!({"primary": "testmodel/${NOT_BOUND}"})),
            Code::InvalidDocument,
            "/values/agents/defaults/model/primary",
        ),
        (with("/ui/assistant/name", json!("a\u{0}b")), Code::InvalidDocument, "/values/ui/assistant/name"),
        (json!([1]), Code::InvalidDocument, "/values"),
        (json!("text"), Code::InvalidDocument, "/values"),
    ];
    for (values, expected, pointer) in cases {
        let request = document::configuration(name("bad"), values.clone());
        let (code, found) = places(configuration::create(&cx, &ns, request, &plain()).await);
        assert!(code == expected && found.iter().any(|(at, _)| at == pointer), "{pointer}: {code} {found:?}");
        let draft = ConfigurationDraft {
            display_name: None,
            description: None,
            labels: occ_model::name::Labels::default(),
            values: values.clone(),
            secret_bindings: Vec::new(),
        };
        let (code, found) = places(configuration::put(&cx, &ns, &base, draft, &if_match(1)).await);
        assert!(code == expected && found.iter().any(|(at, _)| at == pointer), "{pointer}: {code} {found:?}");
        let check = CheckConfiguration { values, secret_bindings: Vec::new() };
        let check = configuration::validate(&cx, &ns, check).await.unwrap();
        assert!(!check.valid && check.errors.iter().any(|e| e.pointer == pointer), "{pointer}: {check:?}");
    }
    assert_eq!(trace(&pool).await.unwrap(), before);
    assert_eq!(configuration::get(&cx, &ns, &base).await.unwrap(), good);
    let check = CheckConfiguration { values: document::embedded(), secret_bindings: Vec::new() };
    assert!(configuration::validate(&cx, &ns, check).await.unwrap().valid);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_key_with_a_nul_is_refused_and_is_no_fault_of_the_database(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let mut values = document::embedded();
    let providers = values.pointer_mut("/models/providers").unwrap().as_object_mut().unwrap();
    let provider = providers["testmodel"].clone();
    providers.insert("a\u{0}b".into(), provider);
    let request = document::configuration(name("bad"), values);
    let refused = configuration::create(&t.cx(&tenant.developer), &sel("papers"), request, &plain()).await;
    assert_eq!(code(refused), Code::InvalidDocument);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_oversize_document_is_refused(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let request = document::configuration(name("big"), with("/ui/assistant/name", json!("x".repeat(1 << 20))));
    let refused = configuration::create(&t.cx(&tenant.developer), &sel("papers"), request, &plain()).await;
    assert_eq!(places(refused), (Code::InvalidDocument, vec![("/values".into(), "TOO_LARGE".into())]));
    // As deep as no REST request could bring it.
    let deep = (0..40).fold(json!(1), |inner, _| json!({ "x": inner }));
    let request = document::configuration(name("deep"), with("/models/providers/testmodel/params", deep));
    let refused = configuration::create(&t.cx(&tenant.developer), &sel("papers"), request, &plain()).await;
    assert_eq!(places(refused), (Code::InvalidDocument, vec![("/values".into(), "TOO_DEEP".into())]));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_i11_bindings_stay_in_the_namespace_and_need_the_right_to_use(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let (a, b) = (t.cx(&cast.a.developer), t.cx(&cast.b.developer));
    let (ns_a, ns_b) = (sel("tenant-a"), sel("tenant-b"));
    secret::create(&a, &ns_a, document::secret(name("bot"), "x"), &plain()).await.unwrap();
    let foreign = secret::create(&b, &ns_b, document::secret(name("theirs"), "x"), &plain()).await.unwrap();
    let mut request = document::configuration(name("base"), document::embedded());
    let refused = (Code::ReferenceUnusable, vec![("/secretBindings/0/secret".into(), "REFERENCE_UNUSABLE".into())]);
    for secret in ["no-such", &foreign.id.to_string(), "theirs", "sec_0192f4aabbccddeeff00112233445566"] {
        request.secret_bindings = vec![bound(TOKEN, secret)];
        assert_eq!(places(configuration::create(&a, &ns_a, request.clone(), &plain()).await), refused, "{secret}");
    }
    // Who may write Configurations but not use the Secret is told the same.
    let author = t.person("Author").await.unwrap();
    t.bind(&author, "agent-developer", Some(cast.a.namespace.id)).await.unwrap();
    request.secret_bindings = vec![bound(TOKEN, "bot")];
    let made = configuration::create(&t.cx(&author), &ns_a, request.clone(), &plain()).await.unwrap();
    assert_eq!(made.secret_bindings, request.secret_bindings);
    // A bound Secret is in use.
    let problem = problem(secret::delete(&a, &ns_a, &sel("bot"), &plain()).await);
    assert_eq!(problem.code, Code::InUse);
    assert!(problem.detail.contains("Configuration base"), "{}", problem.detail);
    let draft = json!({"secretBindings": []});
    configuration::update(&a, &ns_a, &sel("base"), &draft, &if_match(1)).await.unwrap();
    secret::delete(&a, &ns_a, &sel("bot"), &plain()).await.unwrap();
    // The kept generation shows the Secret that is gone by its id.
    let first = configuration::generation(&a, &ns_a, &sel("base"), 1).await.unwrap();
    assert!(first.secret_bindings.unwrap()[0].secret.to_string().starts_with("sec_"));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_same_secret_by_id_or_by_name_is_no_change(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    let bot = secret::create(&cx, &ns, document::secret(name("bot"), "x"), &plain()).await.unwrap();
    let mut request = document::configuration(name("base"), document::embedded());
    request.secret_bindings = vec![bound(TOKEN, "bot")];
    let made = configuration::create(&cx, &ns, request, &plain()).await.unwrap();
    let patch = json!({"secretBindings": [{"pointer": TOKEN, "secret": bot.id}]});
    assert_eq!(configuration::update(&cx, &ns, &base, &patch, &if_match(1)).await.unwrap(), made);
    assert!(audited(&pool, "configuration.update").await.unwrap().is_empty());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i16_i6_lists_and_other_tenants(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let (a, b, ns_a) = (t.cx(&cast.a.developer), t.cx(&cast.b.developer), sel("tenant-a"));
    let made = configuration::create(&a, &ns_a, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    assert_eq!(configuration::list(&a, &ns_a, &ListQuery::default()).await.unwrap().items, std::slice::from_ref(&made));
    let expected = problem(configuration::get(&b, &sel("tenant-b"), &sel("no-such")).await);
    let by_id = occ_model::reference::Selector::Id(made.id);
    for (ns, of) in [(sel("tenant-b"), &by_id), (sel("tenant-a"), &by_id), (sel("tenant-a"), &sel("base"))] {
        assert_eq!(problem(configuration::get(&b, &ns, of).await), expected);
        assert_eq!(problem(configuration::update(&b, &ns, of, &json!({}), &if_match(1)).await), expected);
        assert_eq!(problem(configuration::delete(&b, &ns, of, &plain()).await), expected);
        assert_eq!(problem(configuration::generations(&b, &ns, of).await), expected);
        assert_eq!(problem(configuration::generation(&b, &ns, of, 1).await), expected);
        assert_eq!(problem(configuration::diff(&b, &ns, of, None, None).await), expected);
    }
    assert_eq!(problem(configuration::list(&b, &ns_a, &ListQuery::default()).await), expected);
    let check = CheckConfiguration { values: json!({}), secret_bindings: Vec::new() };
    assert_eq!(problem(configuration::validate(&b, &ns_a, check).await), expected);
    let viewer = t.cx(&cast.a.viewer);
    let request = document::configuration(name("x"), document::embedded());
    assert_eq!(code(configuration::create(&viewer, &ns_a, request, &plain()).await), Code::Forbidden);
    assert_eq!(code(configuration::delete(&viewer, &ns_a, &sel("base"), &plain()).await), Code::Forbidden);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_is_not_deleted_while_a_draft_refers_to_it(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    let request = document::configuration(name("base"), document::embedded());
    configuration::create(&cx, &ns, request.clone(), &keyed("k")).await.unwrap();
    configuration::create(&cx, &ns, request, &keyed("k")).await.unwrap();
    agent::create(&cx, &ns, document::agent(name("reader"), name("base"), None), &plain()).await.unwrap();
    let consumers = configuration::get(&cx, &ns, &base).await.unwrap().consumers;
    assert_eq!(consumers[0].name, name("reader"));
    let refused = problem(configuration::delete(&cx, &ns, &base, &plain()).await);
    assert_eq!(refused.code, Code::InUse);
    assert!(refused.detail.contains("Agent reader"), "{}", refused.detail);
    // Who may delete it but not read the Agent is told that there is something, not what.
    let keeper = t.person("Keeper").await.unwrap();
    let found = configuration::get(&cx, &ns, &base).await.unwrap();
    let exact = occ_store::binding::Exact {
        kind: occ_model::operation::Kind::Configuration,
        id: occ_model::id::TypedId::uuid(found.id),
        name: "base",
    };
    t.bind_exact(keeper.identity, "agent-developer", Some(tenant.namespace.id), Some(exact)).await.unwrap();
    let hidden = problem(configuration::delete(&t.cx(&keeper), &ns, &base, &plain()).await);
    assert!(hidden.code == Code::InUse && !hidden.detail.contains("reader"), "{}", hidden.detail);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_writes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, base) = (t.cx(&tenant.developer), sel("papers"), sel("base"));
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    let before = trace(&pool).await.unwrap();
    configuration::create(&cx, &ns, document::configuration(name("new"), document::embedded()), &dry()).await.unwrap();
    let options = occ_control::WriteOptions { if_match: Some(1), ..dry() };
    let patch = json!({"values": {"agents": {"defaults": {"model": {"primary": "testmodel/x"}}}}});
    assert_eq!(configuration::update(&cx, &ns, &base, &patch, &options).await.unwrap().meta.generation, 2);
    configuration::delete(&cx, &ns, &base, &dry()).await.unwrap();
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_list_of_large_documents_comes_in_small_pages_and_misses_none(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    for n in 0..10 {
        let request = document::configuration(name(&format!("c{n:02}")), document::embedded());
        configuration::create(&cx, &ns, request, &plain()).await.unwrap();
    }
    // As large as a document can be, without the schema's own bounds in the way.
    sqlx::query("UPDATE configuration_generation SET document = jsonb_build_object('text', repeat('x', 600000))")
        .execute(&pool)
        .await
        .unwrap();
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let query = ListQuery { limit: Some(10), cursor, ..ListQuery::default() };
        let page = configuration::list(&cx, &ns, &query).await.unwrap();
        seen.extend(page.items.into_iter().map(|item| item.meta.name.to_string()));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, (0..10).map(|n| format!("c{n:02}")).collect::<Vec<_>>());
    assert!(pages > 1);
}
