//! Talking to an Agent: where a turn goes, and whose conversation it is.

use std::time::Duration;

use futures::StreamExt;
use occ_control::chat;
use occ_driver::fake::Method;
use occ_model::chat::{ChatEvent, ChatTurn};
use occ_model::deployment::Phase;
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
