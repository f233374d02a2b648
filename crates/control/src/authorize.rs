//! The decisions that a deployment rests on: the caller's, and the Agent's own, one for each separately protected reference (I11).
//!
//! Admission asks them, and the worker asks the same again with the policy of that day (I5). A new revision and a start need the
//! caller to deploy the Agent, read its Configuration and use each Secret. A restart (or a restoration by the controller) delivers
//! nothing that is not already admitted and running: the caller operates the Agent, and the Agent's own identity must still be
//! allowed each Secret.

use std::sync::Arc;

use occ_model::deployment::DeploymentKind;
use occ_model::id::{AgentId, ConfigurationId, NamespaceId, SecretId};
use occ_model::identity::Identity;
use occ_model::operation::{Action, Kind};
use occ_model::revision::Snapshot;
use occ_policy::{Decision, Facts, Target};
use serde_json::{Value, json};

use crate::context::{Cx, evidence};
use crate::error::Result;

/// Whose decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Who asked.
    Caller,
    /// The Agent's own identity.
    Agent,
}

impl Who {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Agent => "agent",
        }
    }
}

/// One decision to be made.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub who: Who,
    pub action: Action,
    pub target: Target,
    /// Where in the Agent's draft the reference stands.
    pub pointer: String,
}

/// A question with its decision.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub question: Question,
    pub decision: Decision,
}

/// Every answer, under one policy epoch.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub epoch: i64,
    pub all: Vec<Answer>,
}

impl Answers {
    /// The first denial.
    pub fn denied(&self) -> Option<&Answer> {
        self.all.iter().find(|answer| !answer.decision.allowed)
    }

    /// The evidence of each decision, as audit stores it.
    pub fn evidence(&self) -> Value {
        self.all
            .iter()
            .map(|answer| {
                json!({
                    "who": answer.question.who.as_str(),
                    "action": answer.question.action,
                    "kind": answer.question.target.kind,
                    "resource": answer.question.target.id.map(|id| id.simple().to_string()),
                    "allowed": answer.decision.allowed,
                    "reason": answer.decision.reason,
                    "evidence": evidence(&answer.decision.evidence),
                })
            })
            .collect()
    }
}

/// Facts of the caller and of the Agent under one epoch.
async fn facts(cx: &Cx, agent: AgentId) -> Result<(Arc<Facts>, Arc<Facts>)> {
    loop {
        let mut on = cx.read().await?;
        let caller = cx.control().facts.get(&mut on, cx.actor().identity).await?;
        let own = cx.control().facts.get(&mut on, Identity::workload(agent)).await?;
        if caller.epoch == own.epoch {
            return Ok((caller, own));
        }
    }
}

/// Decides every question under one policy epoch. Denials are answers, not errors.
pub(crate) async fn ask(cx: &Cx, agent: AgentId, questions: Vec<Question>) -> Result<Answers> {
    let (caller, own) = facts(cx, agent).await?;
    let all = questions
        .into_iter()
        .map(|question| {
            let facts = match question.who {
                Who::Caller => &caller,
                Who::Agent => &own,
            };
            Answer { decision: facts.decide(question.action, &question.target), question }
        })
        .collect();
    Ok(Answers { epoch: caller.epoch, all })
}

/// The action on the Agent that a deployment of this kind needs.
pub(crate) const fn action_of(kind: DeploymentKind) -> Action {
    match kind {
        DeploymentKind::Deploy | DeploymentKind::Start | DeploymentKind::Rollback => Action::Deploy,
        DeploymentKind::Restart | DeploymentKind::Recover => Action::Operate,
    }
}

/// Whether a deployment of this kind needs the caller's own decisions on references.
const fn asks_caller(kind: DeploymentKind) -> bool {
    matches!(kind, DeploymentKind::Deploy | DeploymentKind::Start | DeploymentKind::Rollback)
}

/// The question on the Agent itself.
pub(crate) fn on_agent(kind: DeploymentKind, namespace: NamespaceId, agent: AgentId) -> Question {
    Question {
        who: Who::Caller,
        action: action_of(kind),
        target: Target::resource(Kind::Agent, namespace, agent),
        pointer: String::new(),
    }
}

/// The question on the Configuration.
pub(crate) fn on_configuration(namespace: NamespaceId, id: ConfigurationId) -> Question {
    Question {
        who: Who::Caller,
        action: Action::Read,
        target: Target::resource(Kind::Configuration, namespace, id),
        pointer: "/configuration".to_owned(),
    }
}

/// The two questions on a Secret.
pub(crate) fn on_secret(namespace: NamespaceId, id: SecretId, pointer: &str) -> [Question; 2] {
    [Who::Caller, Who::Agent].map(|who| Question {
        who,
        action: Action::Use,
        target: Target::resource(Kind::Secret, namespace, id),
        pointer: pointer.to_owned(),
    })
}

/// Everything that a deployment of this snapshot rests on.
pub(crate) fn of_deployment(
    kind: DeploymentKind,
    namespace: NamespaceId,
    agent: AgentId,
    snapshot: &Snapshot,
) -> Vec<Question> {
    let mut questions = vec![on_agent(kind, namespace, agent)];
    if asks_caller(kind) {
        questions.push(on_configuration(namespace, snapshot.configuration_id));
    }
    let secrets = snapshot
        .secrets
        .iter()
        .flat_map(|pinned| on_secret(namespace, pinned.id, &format!("/secrets/{}", pinned.name)));
    questions.extend(secrets.filter(|question| question.who == Who::Agent || asks_caller(kind)));
    questions
}
