//! Deciding again (I5): the original actor, with today's policy, for the action and each reference, and the Agent's own identity.

use occ_model::audit::Outcome;
use occ_model::deployment::{DeploymentKind, StepKind, StepState};
use occ_model::failure::FailureCode;
use occ_model::id::TypedId;
use occ_model::operation::{Action, Kind};
use occ_model::revision::Revision;
use occ_policy::Target;
use occ_store::audit::Entry;

use super::check::Ending;
use super::fault::Fault;
use super::record;
use super::scene::Scene;
use crate::authorize::{self, Answers, Question, Who};
use crate::context::Cx;
use crate::faults::Place;

/// Decides everything that the deployment rests on. A denial is an ending, recorded with its evidence; it is not tried again.
pub(super) async fn reauthorize(cx: &Cx, scene: &Scene) -> Result<Option<Ending>, Fault> {
    let questions =
        authorize::of_deployment(scene.kind(), scene.key.namespace, scene.key.agent, &scene.revision.snapshot);
    let answers = authorize::ask(cx, scene.key.agent, questions).await?;
    if answers.denied().is_some() {
        record_denial(cx, scene, &answers).await?;
        return Ok(Some(Ending::Denied));
    }
    scene.set_authorized(answers.epoch);
    let note = format!("{} decisions", answers.all.len());
    scene.steps.set(StepKind::Reauthorized, StepState::Done, Some(note));
    Ok(None)
}

/// The same, only if the policy moved on since.
pub(super) async fn reauthorize_if_moved(cx: &Cx, scene: &Scene, epoch: i64) -> Result<Option<Ending>, Fault> {
    if scene.authorized() >= epoch { Ok(None) } else { reauthorize(cx, scene).await }
}

async fn record_denial(cx: &Cx, scene: &Scene, answers: &Answers) -> Result<(), Fault> {
    let entry = Entry::success("deployment.reauthorize", Kind::Deployment, scene.id().uuid())
        .of(&scene.pointers.name, Some(scene.key.namespace))
        .ended(Outcome::Denied, FailureCode::AuthorizationDenied.as_str())
        .because(answers.evidence());
    Ok(cx.faults.around(Place::Denial, cx.store.record(&record::origin(cx), &entry)).await?)
}

/// Whether the Agent's own identity may still use what `revision` refers to: what restoring it rests on. A denial is recorded.
pub(super) async fn own_decisions_stand(cx: &Cx, scene: &Scene, revision: &Revision) -> Result<bool, Fault> {
    let (namespace, agent) = (scene.key.namespace, scene.key.agent);
    let mut questions = authorize::of_deployment(DeploymentKind::Recover, namespace, agent, &revision.snapshot);
    questions.retain(|question| question.who == Who::Agent);
    let answers = authorize::ask(cx, agent, questions).await?;
    if answers.denied().is_some() {
        record_denial(cx, scene, &answers).await?;
        return Ok(false);
    }
    Ok(true)
}

/// Whether the actor may still do `action` on the Agent itself, for work that rests on nothing else. A denial is recorded.
pub(super) async fn still_allowed(cx: &Cx, action: Action, target: Target, name: &str) -> Result<bool, Fault> {
    let agent = TypedId::from_uuid(target.id.unwrap_or_default());
    let question = Question { who: Who::Caller, action, target, pointer: String::new() };
    let answers = authorize::ask(cx, agent, vec![question]).await?;
    if answers.denied().is_none() {
        return Ok(true);
    }
    let mut entry = Entry::success("work.reauthorize", target.kind, target.id.unwrap_or_default())
        .ended(Outcome::Denied, FailureCode::AuthorizationDenied.as_str())
        .because(answers.evidence());
    (entry.name, entry.namespace) = (Some(name.to_owned()), target.namespace);
    cx.faults.around(Place::Denial, cx.store.record(&record::origin(cx), &entry)).await?;
    Ok(false)
}
