//! What people ask, through the use cases, and what they are told.

use anyhow::Result;
use futures::StreamExt as _;
use occ_control::{Cx, Error, WriteOptions, chat, configuration, deploy, deployment, lifecycle, rollback, secret};
use occ_model::agent::Rollback;
use occ_model::chat::ChatTurn;
use occ_model::deployment::DeployOutcome;
use occ_model::id::{AgentId, TypedId};
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_model::secret::SecretValue;
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

use super::schedule::{Ask, Person, Twice, Which};
use super::stage::Stage;
use super::tenancy::{CONFIGURATION, SECRET, Tenancy};
use crate::check::{Answer, Asked};
use crate::document;

/// A turn waits no longer at a closed door: the history goes on.
const TURN: Duration = Duration::from_millis(15);

impl Tenancy {
    /// Somebody asks, once or twice with the same key.
    pub async fn ask(&self, stage: &Stage, who: Person, ask: Ask, which: Which, twice: Twice) -> Result<()> {
        let agent = self.agents[which as usize];
        let key = (twice != Twice::No).then(|| format!("key-{}", stage.number()));
        let one = || self.once(stage, who, ask, which, agent, key.clone());
        match twice {
            Twice::No => one().await,
            Twice::Later => {
                one().await?;
                one().await
            }
            Twice::Together => {
                let (one, other) = futures::join!(one(), one());
                one.and(other)
            }
        }
    }

    async fn once(
        &self,
        stage: &Stage,
        who: Person,
        ask: Ask,
        which: Which,
        agent: AgentId,
        key: Option<String>,
    ) -> Result<()> {
        let actor = match who {
            Person::Ada => &stage.ada,
            Person::Ben => &stage.ben,
        };
        let cx = self.t.cx(actor);
        let idempotency_key = key.as_deref().map(str::parse).transpose()?;
        let options = WriteOptions { idempotency_key, ..WriteOptions::default() };
        let answer = match self.answer(&cx, stage, ask, agent, options).await {
            Ok(made) => Answer::Done(made),
            Err(error) => match error.problem().code {
                Code::UnknownOutcome => Answer::Uncertain,
                // A fault of ours is a finding by itself.
                Code::Internal => anyhow::bail!("{who} asked {ask} {which}: {error:?}"),
                code => Answer::Refused(code.to_string()),
            },
        };
        // A change under If-Match takes no key: read again, it is another change.
        let key = key.filter(|_| ask != Ask::Edit);
        let request = cx.request().map(TypedId::uuid).unwrap_or_default();
        self.remember(Asked { request, what: format!("{who} {ask} {which}"), key, answer });
        Ok(())
    }

    async fn answer(
        &self,
        cx: &Cx,
        stage: &Stage,
        ask: Ask,
        agent: AgentId,
        options: WriteOptions,
    ) -> Result<Option<Uuid>, Error> {
        let (ns, of) = (Selector::Id(self.namespace), Selector::Id(agent));
        let admitted = |outcome: DeployOutcome| match outcome {
            DeployOutcome::Admitted(made) => Some(made.deployment.id.uuid()),
            DeployOutcome::Report(_) => None,
        };
        match ask {
            Ask::Deploy => deploy::deploy(cx, &ns, &of, &options).await.map(admitted),
            Ask::Rollback => rollback::rollback(cx, &ns, &of, Rollback { revision: 1 }, &options).await.map(admitted),
            Ask::Start => lifecycle::start(cx, &ns, &of, &options).await.map(admitted),
            Ask::Restart => lifecycle::restart(cx, &ns, &of, &options).await.map(admitted),
            Ask::Stop => lifecycle::stop(cx, &ns, &of, &options).await.map(|_| None),
            Ask::Delete => lifecycle::delete(cx, &ns, &of, &options).await.map(|_| None),
            Ask::Cancel => {
                let latest = deployment::list(cx, &ns, &of, &ListQuery::default()).await?;
                let Some(latest) = latest.items.first() else { return Ok(None) };
                deployment::cancel(cx, &ns, &of, latest.id, &options).await.map(|_| None)
            }
            Ask::Edit => {
                let name = Selector::Name(CONFIGURATION.parse().map_err(|e| Error::fault("naming", e))?);
                let now = configuration::get(cx, &ns, &name).await?;
                let (mut values, provider) = document::of_mode(self.mode);
                values["models"]["providers"][provider]["models"][0]["name"] =
                    json!(format!("Edited {}", stage.number()));
                let options = WriteOptions { if_match: Some(now.meta.generation), ..options };
                configuration::update(cx, &ns, &name, &json!({ "values": values }), &options).await.map(|_| None)
            }
            Ask::Rotate => {
                let name = Selector::Name(SECRET.parse().map_err(|e| Error::fault("naming", e))?);
                let value = Some(format!("sk-{}", stage.number()));
                let value = SecretValue { value, value_base64: None };
                secret::set_value(cx, &ns, &name, value, &options).await.map(|_| None)
            }
        }
    }

    /// One message to each Agent through the door of OCC's chat; how it is answered is the doors' business, what it ran on the checker's.
    pub async fn talk(&self, stage: &Stage) {
        for agent in self.agents.iter().copied() {
            let cx = self.t.cx(&stage.eve);
            let turn = ChatTurn { conversation: None, text: "hello".to_owned() };
            let said = async {
                if let Ok(events) = chat::turn(&cx, &Selector::Id(self.namespace), &Selector::Id(agent), turn).await {
                    events.count().await;
                }
            };
            let _waited = tokio::time::timeout(TURN, said).await;
        }
    }
}
