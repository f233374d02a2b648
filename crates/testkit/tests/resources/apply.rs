//! `apply`.

use occ_control::{agent, apply, configuration, namespace, secret};
use occ_model::apply::{Apply, ApplyOutcome, ApplyReport};
use occ_model::problem::Code;
use occ_testkit::trace::{stored_anywhere, trace};
use occ_testkit::{TestControl, document};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::common::*;

/// In the wrong order on purpose.
fn documents() -> Vec<Value> {
    vec![
        json!({"kind": "Agent", "name": "reader", "configuration": "base", "executionMode": "embedded",
               "harnessAuth": {"provider": "testmodel", "apiKey": "key"}}),
        json!({"kind": "Configuration", "name": "base", "values": document::embedded(),
               "secretBindings": [{"pointer": "/channels/telegram/botToken", "secret": "bot"}]}),
        json!({"kind": "Secret", "name": "key", "value": "hunter2hunter2"}),
        json!({"kind": "Secret", "name": "bot", "value": "hunter3hunter3"}),
    ]
}

fn outcomes(report: &ApplyReport) -> Vec<ApplyOutcome> {
    report.items.iter().map(|item| item.outcome).collect()
}

use ApplyOutcome::{Created, Failed, Unchanged, Updated};

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_converges_in_dependency_order_and_twice_is_once(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let before = trace(&pool).await.unwrap();
    let diff = apply::apply(&cx, &ns, Apply(documents()), &dry()).await.unwrap();
    assert_eq!((outcomes(&diff), diff.converged), (vec![Created; 4], true), "{diff:?}");
    assert_eq!(trace(&pool).await.unwrap(), before);
    let report = apply::apply(&cx, &ns, Apply(documents()), &plain()).await.unwrap();
    assert_eq!(outcomes(&report), [Created; 4], "{report:?}");
    assert_eq!(report.items.iter().map(|item| item.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let settled = trace(&pool).await.unwrap();
    let again = apply::apply(&cx, &ns, Apply(documents()), &plain()).await.unwrap();
    assert_eq!(outcomes(&again), [Unchanged; 4], "{again:?}");
    assert_eq!(trace(&pool).await.unwrap(), settled);
    assert!(agent::get(&cx, &ns, &sel("reader")).await.unwrap().resolved.api_key.is_some());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_a_change_is_shown_and_made_without_showing_values(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    apply::apply(&cx, &ns, Apply(documents()), &plain()).await.unwrap();
    let mut changed = documents();
    changed[0]["displayName"] = json!("Reader");
    changed[1]["labels"] = json!({"team": "x"});
    changed[2]["value"] = json!("hunter4hunter4");
    // A Secret that exists needs no value.
    changed[3].as_object_mut().unwrap().remove("value");
    let diff = apply::apply(&cx, &ns, Apply(changed.clone()), &dry()).await.unwrap();
    let report = apply::apply(&cx, &ns, Apply(changed), &plain()).await.unwrap();
    assert_eq!(diff, report);
    assert_eq!(outcomes(&report), [Updated, Updated, Updated, Unchanged], "{report:?}");
    let pointers: Vec<_> = report.items.iter().flat_map(|item| &item.diff).map(|e| e.pointer.as_str()).collect();
    assert_eq!(pointers, ["/displayName", "/labels/team", "/value"]);
    assert!(!serde_json::to_string(&report).unwrap().contains("hunter"));
    assert_eq!(secret::get(&cx, &ns, &sel("key")).await.unwrap().current_version, 2);
    assert!(stored_anywhere(&pool, "hunter4").await.unwrap().is_empty());
    // What a document does not say is taken away: the document is the whole.
    apply::apply(&cx, &ns, Apply(documents()), &plain()).await.unwrap();
    assert_eq!(configuration::get(&cx, &ns, &sel("base")).await.unwrap().meta.labels.0.len(), 0);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_fails_is_named_and_the_rest_goes_on(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let mut list = documents();
    list[1]["values"]["agents"]["x"] = json!(1);
    list.push(json!({"kind": "Secret", "name": "extra", "value": "x", "vaule": "x"}));
    list.push(json!({"kind": "Secret", "name": "key", "value": "other"}));
    list.push(json!({"kind": "Pod", "name": "x"}));
    list.push(json!({"kind": "Namespace", "name": "elsewhere"}));
    list.push(json!("text"));
    list.push(json!({"kind": "Secret", "name": "late"}));
    let report = apply::apply(&cx, &ns, Apply(list), &plain()).await.unwrap();
    let found: Vec<_> = report
        .items
        .iter()
        .map(|item| (item.outcome, item.problem.as_ref().map(|p| (p.code, p.errors[0].pointer.clone()))))
        .collect();
    let failed = |code, pointer: &str| (Failed, Some((code, pointer.to_owned())));
    assert_eq!(
        found,
        [
            failed(Code::ReferenceUnusable, "/0/configuration"),
            failed(Code::InvalidDocument, "/1/values/agents/x"),
            (Created, None),
            (Created, None),
            failed(Code::InvalidFields, "/4/vaule"),
            failed(Code::InvalidFields, "/5/name"),
            failed(Code::InvalidFields, "/6/kind"),
            failed(Code::InvalidFields, "/7/name"),
            failed(Code::InvalidFields, "/8/kind"),
            failed(Code::InvalidFields, "/9/value"),
        ]
    );
    assert!(!report.converged);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_everybody_applies_with_their_own_permissions(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let ns = sel("tenant-a");
    let expected = problem(apply::apply(&t.cx(&cast.nobody), &sel("nowhere"), Apply(documents()), &plain()).await);
    assert_eq!(expected.code, Code::NotFound);
    for who in [&cast.b.developer, &cast.nobody] {
        assert_eq!(problem(apply::apply(&t.cx(who), &ns, Apply(documents()), &plain()).await), expected);
    }
    let before = trace(&pool).await.unwrap();
    let report = apply::apply(&t.cx(&cast.a.viewer), &ns, Apply(documents()), &plain()).await.unwrap();
    for item in &report.items {
        assert_eq!(item.problem.as_ref().unwrap().code, Code::Forbidden);
    }
    let after = trace(&pool).await.unwrap();
    assert_eq!(after.0.get("secret"), before.0.get("secret"));
    let many = vec![json!({}); 201];
    assert_eq!(code(apply::apply(&t.admin(), &ns, Apply(many), &plain()).await), Code::MalformedRequest);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_namespace_itself_can_be_part_of_it(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let (cx, ns) = (t.admin(), sel("fresh"));
    let mut list = documents();
    list.push(json!({"kind": "Namespace", "name": "fresh", "quotas": {"agents": 3}}));
    let before = trace(&pool).await.unwrap();
    let diff = apply::apply(&cx, &ns, Apply(list.clone()), &dry()).await.unwrap();
    assert_eq!(outcomes(&diff), [Created; 5], "{diff:?}");
    assert_eq!(trace(&pool).await.unwrap(), before);
    let report = apply::apply(&cx, &ns, Apply(list.clone()), &plain()).await.unwrap();
    assert_eq!(outcomes(&report), [Created; 5], "{report:?}");
    list[4]["quotas"]["agents"] = json!(5);
    let report = apply::apply(&cx, &ns, Apply(list), &plain()).await.unwrap();
    assert_eq!(outcomes(&report), [Unchanged, Unchanged, Unchanged, Unchanged, Updated]);
    assert_eq!(namespace::get(&cx, &ns).await.unwrap().quotas.agents, Some(5));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_with_a_key_a_list_happens_once_whatever_came_between(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let first = apply::apply(&cx, &ns, Apply(documents()), &keyed("k")).await.unwrap();
    assert_eq!(outcomes(&first), [Created; 4]);
    // Somebody else changes one of them.
    secret::update(&cx, &ns, &sel("key"), &json!({"description": "theirs"}), &if_match(1)).await.unwrap();
    let settled = trace(&pool).await.unwrap();
    let again = apply::apply(&cx, &ns, Apply(documents()), &keyed("k")).await.unwrap();
    assert_eq!((outcomes(&again), again.converged), (vec![Created; 4], true));
    assert_eq!(trace(&pool).await.unwrap(), settled, "nothing was touched");
    let mut other = documents();
    other[0]["displayName"] = json!("Reader");
    let refused = problem(apply::apply(&cx, &ns, Apply(other), &keyed("k")).await);
    assert_eq!(refused.code, Code::IdempotencyKeyReused);
    assert_eq!(trace(&pool).await.unwrap(), settled);
    assert!(stored_anywhere(&pool, "hunter").await.unwrap().is_empty());
    let anew = apply::apply(&cx, &ns, Apply(documents()), &keyed("l")).await.unwrap();
    assert_eq!(outcomes(&anew), [Unchanged, Unchanged, Updated, Unchanged]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_a_list_that_was_cut_goes_on_and_leaves_what_it_had_done(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    // Its last document cannot be written, as if the server had died before it.
    sqlx::query("ALTER TABLE agent ADD CONSTRAINT cut CHECK (false) NOT VALID").execute(&pool).await.unwrap();
    let cut = apply::apply(&cx, &ns, Apply(documents()), &keyed("k")).await.unwrap();
    assert_eq!(outcomes(&cut), [Failed, Created, Created, Created]);
    sqlx::query("ALTER TABLE agent DROP CONSTRAINT cut").execute(&pool).await.unwrap();
    secret::update(&cx, &ns, &sel("key"), &json!({"description": "theirs"}), &if_match(1)).await.unwrap();
    let again = apply::apply(&cx, &ns, Apply(documents()), &keyed("k")).await.unwrap();
    assert_eq!(outcomes(&again), [Created; 4], "{again:?}");
    let kept = secret::get(&cx, &ns, &sel("key")).await.unwrap();
    assert_eq!(kept.meta.description.map(|text| text.to_string()).as_deref(), Some("theirs"));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_two_at_once_do_it_once_and_answer_alike(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    apply::apply(&cx, &ns, Apply(documents()), &plain()).await.unwrap();
    let mut changed = documents();
    for document in &mut changed {
        document["description"] = json!("changed");
    }
    changed[2]["value"] = json!("hunter4hunter4");
    let options = keyed("k");
    let one = || apply::apply(&cx, &ns, Apply(changed.clone()), &options);
    let (one, two) = tokio::join!(one(), one());
    assert_eq!((outcomes(&one.unwrap()), outcomes(&two.unwrap())), (vec![Updated; 4], vec![Updated; 4]));
    let key = secret::get(&cx, &ns, &sel("key")).await.unwrap();
    assert_eq!(key.current_version, 2);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_first_files_of_a_workspace_come_with_a_new_agent_only(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let with = |files: Value| {
        let mut list = documents();
        list[0]["initialWorkspaceFiles"] = files;
        Apply(list)
    };
    let bad = apply::apply(&cx, &ns, with(json!({"../x": "y"})), &dry()).await.unwrap();
    assert_eq!(bad.items[0].problem.as_ref().unwrap().errors[0].pointer, "/0/initialWorkspaceFiles/..~1x");
    let files = json!({"AGENTS.md": "hunter5"});
    let diff = apply::apply(&cx, &ns, with(files.clone()), &dry()).await.unwrap();
    let made = apply::apply(&cx, &ns, with(files.clone()), &plain()).await.unwrap();
    assert_eq!(diff.items[0].diff, made.items[0].diff);
    assert!(made.items[0].diff.iter().any(|entry| entry.pointer == "/initialWorkspaceFiles/AGENTS.md"));
    assert!(!serde_json::to_string(&made).unwrap().contains("hunter"));
    for same in [files, json!({})] {
        assert_eq!(outcomes(&apply::apply(&cx, &ns, with(same), &plain()).await.unwrap()), [Unchanged; 4]);
    }
    let other = apply::apply(&cx, &ns, with(json!({"AGENTS.md": "other"})), &plain()).await.unwrap();
    let error = &other.items[0].problem.as_ref().unwrap().errors[0];
    assert_eq!((error.pointer.as_str(), error.code.as_str()), ("/0/initialWorkspaceFiles", "CREATE_ONLY"));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_whether_a_guessed_value_is_right_is_told_to_nobody_who_may_not_set_it(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let ns = sel("papers");
    let list = |value: &str| Apply(vec![json!({"kind": "Secret", "name": "pin", "value": value})]);
    apply::apply(&t.cx(&tenant.developer), &ns, list("1234"), &plain()).await.unwrap();
    for options in [plain(), dry()] {
        let guess = async |value| {
            let report = apply::apply(&t.cx(&tenant.viewer), &ns, list(value), &options).await.unwrap();
            (outcomes(&report), report.items[0].problem.clone())
        };
        let (right, wrong) = (guess("1234").await, guess("4321").await);
        assert_eq!(right, wrong);
        assert_eq!(right.1.unwrap().code, Code::Forbidden);
    }
}
