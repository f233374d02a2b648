//! Answers that get lost on their way.

use occ_control::{Cx, Error, WriteOptions, agent, configuration, lifecycle, secret};
use occ_model::problem::Code;
use occ_testkit::wire::{Lost, Wire};
use occ_testkit::{Worker, document};
use serde_json::json;
use sqlx::PgPool;

use crate::scene::{Scene, connections, keyed};

/// One mutation, asked for by whoever has the context.
async fn ask(scene: &Scene, cx: &Cx, operation: &str, name: &str, options: &WriteOptions) -> Result<(), Error> {
    let (ns, of) = (scene.ns(), scene.of());
    let called = name.parse().unwrap();
    match operation {
        "namespace.create" => {
            let request = serde_json::from_value(json!({ "name": name, "quotas": {} })).unwrap();
            occ_control::namespace::create(cx, request, options).await.map(drop)
        }
        "configuration.create" => {
            configuration::create(cx, &ns, document::configuration(called, document::embedded()), options)
                .await
                .map(drop)
        }
        "secret.create" => secret::create(cx, &ns, document::secret(called, "sk-x"), options).await.map(drop),
        "agent.create" => {
            let request = document::agent(called, "reading".parse().unwrap(), None);
            agent::create(cx, &ns, request, options).await.map(drop)
        }
        "agent.deploy" => occ_control::deploy::deploy(cx, &ns, &of, options).await.map(drop),
        "agent.stop" => lifecycle::stop(cx, &ns, &of, options).await.map(drop),
        other => unreachable!("{other}"),
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i17_i18_a_mutation_whose_answer_gets_lost_is_said_to_be_unknown_and_happens_once(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    let wire = Wire::to(&pool).unwrap();
    let far = scene.t.over(connections(wire.options(), 4).await);
    let cx = far.admin();
    for operation in
        ["namespace.create", "configuration.create", "secret.create", "agent.create", "agent.deploy", "agent.stop"]
    {
        let done = async || {
            scene.count("SELECT count(*) FROM audit_event WHERE action = $1 AND outcome = 'success'", operation).await
        };
        for (lost, outcome) in [
            (Lost::Question, Some(Code::Unavailable)),
            (Lost::Answer, None),
            (Lost::Everything, Some(Code::UnknownOutcome)),
        ] {
            let before = done().await;
            let name = format!("x{}", uuid::Uuid::now_v7().simple());
            let options = keyed(&name);
            wire.lose(lost);
            let first = ask(&scene, &cx, operation, &name, &options).await;
            wire.lose(Lost::Nothing);
            assert_eq!(first.err().map(|error| error.problem().code), outcome, "{operation} {lost:?}");
            // Asked again with its key, it has happened once, whether or not it had before.
            ask(&scene, &cx, operation, &name, &options).await.unwrap();
            ask(&scene, &cx, operation, &name, &options).await.unwrap();
            assert_eq!(done().await, before + 1, "{operation} {lost:?}");
        }
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i3_a_worker_whose_answers_get_lost_brings_a_deployment_to_service_once(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    let made = scene.deploy(&scene.t, &keyed("once")).await.unwrap();
    let wire = Wire::to(&pool).unwrap();
    wire.lose(Lost::EveryAnswer(2));
    let far = scene.t.over(connections(wire.options(), 8).await);
    let worker = Worker::start(&far.control);
    scene.serves(&made).await;
    worker.end().await;
}
