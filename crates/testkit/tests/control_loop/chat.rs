//! Talking to an Agent: where a turn goes, and whose conversation it is.

use std::time::Duration;

use futures::StreamExt;
use occ_control::chat;
use occ_driver::fake::{Fault, Method, Rule};
use occ_model::agent::RouteState;
use occ_model::chat::{ChatEvent, ChatTurn};
use occ_model::deployment::Phase;
use occ_model::failure::FailureCode;
use occ_model::identity::Actor;
use occ_model::problem::Code;
use occ_testkit::document;
use serde_json::json;
use sqlx::PgPool;

use crate::world::World;

fn says(text: &str) -> ChatTurn {
    ChatTurn { conversation: None, text: text.to_owned() }
}

impl World {
    async fn talk(&self, who: &Actor, text: &str) -> Result<Vec<ChatEvent>, Code> {
        let answer = chat::turn(&self.cx(who), &self.ns(), &self.of(), says(text)).await;
        Ok(answer.map_err(|refused| refused.problem().code)?.collect().await)
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i2_a_turn_waits_for_the_switch_and_goes_to_what_serves_then(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    let second = w.deploy().await;
    gate.entered().await;
    let turn = w.talk(&w.tenant.developer, "hello");
    tokio::pin!(turn);
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut turn).await.is_err(),
        "a closed route let a turn through"
    );
    gate.open();
    let events = turn.await.unwrap();
    assert_eq!(events.last(), Some(&ChatEvent::Done { revision: second.revision.number }));
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_turn_that_waits_goes_on_with_the_predecessor_when_the_switch_fails(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    let second = w.deploy().await;
    gate.entered().await;
    let turn = w.talk(&w.tenant.developer, "hello");
    tokio::pin!(turn);
    assert!(tokio::time::timeout(Duration::from_secs(1), &mut turn).await.is_err(), "it does not wait");
    let fails = Rule::new(Method::Activate, Fault::Fail(FailureCode::GatewayUnready)).of(second.revision.id).after();
    w.t.target.rule(fails);
    gate.open();
    let events = turn.await.unwrap();
    assert_eq!(events.last(), Some(&ChatEvent::Done { revision: first.revision.number }));
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Failed);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_stop_wakes_a_turn_that_waits_with_the_right_answer(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    w.deploy().await;
    gate.entered().await;
    let turn = w.talk(&w.tenant.developer, "hello");
    tokio::pin!(turn);
    assert!(tokio::time::timeout(Duration::from_secs(1), &mut turn).await.is_err(), "it does not wait");
    w.stop().await;
    // The switch itself still hangs: nothing else could have woken it.
    let refused = tokio::time::timeout(Duration::from_secs(10), &mut turn).await.expect("it is woken");
    assert_eq!(refused.unwrap_err(), Code::AgentNotServing);
    gate.open();
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_route_that_is_closed_for_another_reason_refuses_at_once(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    // As after a predecessor that could not be verified: nobody is switching, nothing says when it opens.
    sqlx::query("UPDATE agent SET route_state = 'closed'").execute(&w.pool).await.unwrap();
    let turn = w.talk(&w.tenant.developer, "hello");
    let refused = tokio::time::timeout(Duration::from_secs(10), turn).await.expect("it does not wait");
    assert_eq!(refused.unwrap_err(), Code::AgentUnrouted);
    assert!(w.t.target.turns().is_empty(), "I2");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i2_a_door_that_stays_shut_is_asked_once_more_and_then_believed(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    w.t.target.tamper_route(w.key(), RouteState::Closed);
    let turn = w.talk(&w.tenant.developer, "hello");
    let refused = tokio::time::timeout(Duration::from_secs(10), turn).await.expect("it does not wait for long");
    assert_eq!(refused.unwrap_err(), Code::AgentSwitching);
    assert!(w.t.target.turns().is_empty());
    w.t.target.tamper_route(w.key(), RouteState::Open);
    let events = w.talk(&w.tenant.developer, "again").await.unwrap();
    assert_eq!(events.last(), Some(&ChatEvent::Done { revision: first.revision.number }));
    assert_eq!(w.t.target.turns().len(), 1, "what was refused was not begun");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_conversation_is_ones_own_and_with_the_default_agent_of_the_document(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let mut values = document::embedded();
    values["agents"]["entries"] = json!({ "aide": {}, "main": {}, "scribe": { "default": true } });
    w.put_values(values).await;
    w.serving(&worker).await;
    let other = w.t.person("Other").await.unwrap();
    w.t.bind(&other, "agent-developer", Some(w.tenant.namespace.id)).await.unwrap();
    for who in [&w.tenant.developer, &other] {
        w.talk(who, "hello").await.unwrap();
        w.talk(who, "again").await.unwrap();
    }
    let sessions = w.t.target.conversations(w.key());
    assert_eq!(sessions.len(), 2, "one for each person");
    assert!(sessions.iter().all(|session| session.starts_with("agent:scribe:occ:")), "{sessions:?}");
    let theirs = chat::history(&w.cx(&other), &w.ns(), &w.of(), None).await.unwrap();
    assert_eq!(theirs.len(), 4, "two turns, and nobody else's");
    worker.end().await;
}
