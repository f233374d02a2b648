//! Admission of a deployment: every check in the specification's order, each with one code.
//!
//! One pass serves both answers: the dry run shows every check, a refusal is the first that did not pass. Admission reads and
//! decides; it writes nothing. What it admitted is written by `order.rs`, which looks again under the locks.

use std::sync::Arc;

use occ_driver::{AgentKey, Desired};
use occ_model::agent::{DesiredState, ExecutionMode};
use occ_model::audit::Outcome;
use occ_model::deployment::{AdmissionCheck, DeploymentKind};
use occ_model::failure::{Failure, FailureCode};
use occ_model::id::{RevisionId, SecretId};
use occ_model::name::Name;
use occ_model::namespace::NamespaceStatus;
use occ_model::operation::{Kind, Operation};
use occ_model::problem::{Code, FieldError, Problem};
use occ_model::reference::Selector;
use occ_model::revision::{Harness, HarnessId, PinnedSecret, Snapshot};
use occ_openclaw::harness;
use occ_store::Named;
use occ_store::agent::AgentRow;
use occ_store::audit::Entry;
use occ_store::namespace::NamespaceRow;
use occ_store::secret::SecretRow;
use occ_store::secret_version;
use serde_json::json;

use crate::admission_checks::Checks;
use crate::authorize::{self, Answers, Question, Who};
use crate::context::Cx;
use crate::error::Result;
use crate::wanted::Wanted;

/// What is asked to be admitted.
pub(crate) struct Request<'a> {
    pub kind: DeploymentKind,
    pub namespace: &'a NamespaceRow,
    pub agent: &'a AgentRow,
    /// `None`: the Configuration is not there any more.
    pub wanted: Option<Wanted>,
}

/// What admission found.
pub(crate) struct Admission {
    pub checks: Vec<AdmissionCheck>,
    /// The first check that did not pass, with all its places.
    pub refusal: Option<Problem>,
    /// What would be admitted, as far as it could be built.
    pub snapshot: Option<Snapshot>,
    /// Every decision, under one policy epoch.
    pub answers: Answers,
}

/// Looks at everything. The decision on the Agent itself was made before, by whoever resolved it.
pub(crate) async fn admit(cx: &Cx, request: Request<'_>) -> Result<Admission> {
    let mut checks = Checks::default();
    let Request { kind, namespace, agent, .. } = request;
    checks.pass("agent_deploy", agent.meta.name.as_str());
    namespace_ready(&mut checks, namespace);
    not_deleting(&mut checks, agent);
    let (runtimes, _) = cx.compute.runtimes();
    drivers_available(cx, &mut checks, agent.execution_mode);

    let on_agent = authorize::on_agent(kind, namespace.id, agent.id);
    let Some(wanted) = request.wanted else {
        unusable(&mut checks, "configuration_read", "configuration", "/configuration");
        let answers = authorize::ask(cx, agent.id, vec![on_agent]).await?;
        return Ok(done(checks, None, answers));
    };
    let secrets = secrets(cx, namespace, &wanted).await?;
    let mut questions = vec![on_agent, authorize::on_configuration(namespace.id, wanted.configuration)];
    for secret in &secrets {
        questions.extend(authorize::on_secret(namespace.id, secret.id, &secret.pointer));
    }
    let answers = authorize::ask(cx, agent.id, questions).await?;

    let readable = allowed(&answers, |question| question.target.kind == Kind::Configuration);
    if readable {
        checks.pass("configuration_read", wanted.configuration_name.as_str());
        document_valid(cx, &mut checks, &wanted).await?;
    } else {
        unusable(&mut checks, "configuration_read", wanted.configuration_name.as_str(), "/configuration");
    }
    let selection = if readable { harness_selected(&mut checks, &wanted) } else { None };
    backend_known(&mut checks, &wanted);
    for secret in &secrets {
        reference_usable(&mut checks, secret, &answers);
    }
    quota_free(cx, &mut checks, namespace, agent).await?;

    let pins: Option<Vec<PinnedSecret>> = secrets.iter().map(|secret| secret.pin.clone()).collect();
    let snapshot = match (selection, pins) {
        (Some(selection), Some(secrets)) => Some(snapshot(cx, &wanted, selection, secrets, &runtimes)),
        _ => None,
    };
    if let Some(snapshot) = snapshot.as_ref().filter(|_| checks.passed()) {
        capacity_free(cx, &mut checks, namespace, agent, snapshot).await;
    }
    Ok(done(checks, snapshot, answers))
}

fn done(checks: Checks, snapshot: Option<Snapshot>, answers: Answers) -> Admission {
    let refusal = checks.refusal.map(|(_, problem)| problem);
    Admission { checks: checks.done, refusal, snapshot, answers }
}

fn allowed(answers: &Answers, about: impl Fn(&Question) -> bool) -> bool {
    answers.all.iter().filter(|answer| about(&answer.question)).all(|answer| answer.decision.allowed)
}

fn namespace_ready(checks: &mut Checks, namespace: &NamespaceRow) {
    let name = namespace.meta.name.as_str();
    match namespace.status {
        NamespaceStatus::Ready => checks.pass("namespace_ready", name),
        NamespaceStatus::Deleting => {
            checks.fail(
                "namespace_ready",
                name,
                Code::Deleting,
                "The Namespace is being deleted. Use another one.",
                Vec::new(),
            );
        }
        NamespaceStatus::Provisioning | NamespaceStatus::Failed => {
            let detail = "The Namespace is not ready yet. Wait until it is, or retry its provisioning.";
            checks.fail("namespace_ready", name, Code::NamespaceNotReady, detail, Vec::new());
        }
    }
}

fn not_deleting(checks: &mut Checks, agent: &AgentRow) {
    let name = agent.meta.name.as_str();
    if agent.deleting {
        checks.fail("agent_not_deleting", name, Code::Deleting, "The Agent is being deleted.", Vec::new());
    } else {
        checks.pass("agent_not_deleting", name);
    }
}

fn drivers_available(cx: &Cx, checks: &mut Checks, mode: ExecutionMode) {
    let driver = cx.compute.name();
    let (_, installed) = cx.compute.runtimes();
    if !cx.compute.modes().contains(&mode) {
        let text = "This Installation does not offer this execution mode. Choose one that its capabilities list.";
        let error = FieldError::new("/executionMode", "NOT_OFFERED", text);
        checks.fail("drivers_available", driver, Code::NotSupported, text, vec![error]);
    } else if installed {
        checks.pass("drivers_available", driver);
    } else {
        let detail = "The runtime is still being installed on the target. Deploy again when that has finished.";
        checks.fail("drivers_available", driver, Code::Unavailable, detail, Vec::new());
    }
}

fn unusable(checks: &mut Checks, check: &'static str, subject: &str, pointer: &str) {
    let text = "It does not exist here, or you may not use it.";
    let error = FieldError::new(pointer, Code::ReferenceUnusable.as_str(), text);
    let detail = "A reference cannot be used. Choose another, or ask for the permission on exactly that resource.";
    checks.fail(check, subject, Code::ReferenceUnusable, detail, vec![error]);
}

async fn document_valid(cx: &Cx, checks: &mut Checks, wanted: &Wanted) -> Result<()> {
    let errors = crate::document::check(cx, &wanted.values, &wanted.secret_bindings()).await?;
    let name = wanted.configuration_name.as_str();
    if errors.is_empty() {
        checks.pass("document", name);
        return Ok(());
    }
    let managed = errors.iter().any(|error| error.code == occ_openclaw::code::MANAGED_KEY);
    let (code, detail) = if managed {
        (Code::ManagedKey, "The document sets keys that the platform manages. Remove them from the Configuration.")
    } else {
        (Code::InvalidDocument, "The document is not valid for the pinned runtime. Correct the named places.")
    };
    let errors = errors.into_iter().map(|error| error.under("/configuration")).collect();
    checks.fail("document", name, code, detail, errors);
    Ok(())
}

fn harness_selected(checks: &mut Checks, wanted: &Wanted) -> Option<harness::Selection> {
    let name = wanted.configuration_name.as_str();
    match harness::select(&wanted.values, wanted.mode, wanted.harness_auth().as_ref()) {
        Ok(selection) => {
            checks.pass("harness_selection", selection.harness.as_str());
            Some(selection)
        }
        Err(errors) => {
            let detail = "No single harness fits the document and the Agent. Correct the named places.";
            let errors = errors.into_iter().map(|error| error.under("/configuration/values")).collect();
            checks.fail("harness_selection", name, Code::HarnessSelection, detail, errors);
            None
        }
    }
}

fn backend_known(checks: &mut Checks, wanted: &Wanted) {
    match &wanted.backend_id {
        None => checks.pass("backend", "none"),
        Some(backend) => {
            let text = "This Installation offers no such backend. Leave it out, or ask its operator for one.";
            let error = FieldError::new("/backendId", Code::BackendUnknown.as_str(), text);
            checks.fail("backend", backend, Code::BackendUnknown, text, vec![error]);
        }
    }
}

/// A Secret that is referred to, with the version that would be pinned; `None`: it is not there, or has no value.
struct Referred {
    id: SecretId,
    pointer: String,
    name: Option<Name>,
    pin: Option<PinnedSecret>,
}

impl Referred {
    fn subject(&self) -> String {
        self.name.as_ref().map_or_else(|| self.id.to_string(), Name::to_string)
    }
}

async fn secrets(cx: &Cx, namespace: &NamespaceRow, wanted: &Wanted) -> Result<Vec<Referred>> {
    let mut on = cx.read().await?;
    let mut found = Vec::new();
    for (id, pointer) in wanted.secrets() {
        let row = SecretRow::find(&mut on, namespace.id, &Selector::Id(id)).await?;
        let version = match &row {
            Some(row) => secret_version::find(&mut on, id, row.current_version).await?,
            None => None,
        };
        let living = version.filter(|version| version.destroyed_at.is_none());
        let name = row.map(|row| row.meta.name);
        let pin = name.clone().zip(living).map(|(name, living)| PinnedSecret {
            id,
            name,
            version: living.version,
            digest: living.digest,
        });
        found.push(Referred { id, pointer, name, pin });
    }
    Ok(found)
}

fn reference_usable(checks: &mut Checks, secret: &Referred, answers: &Answers) {
    let subject = secret.subject();
    let may =
        |who: Who| allowed(answers, |q| q.who == who && q.target.id == Some(occ_model::id::TypedId::uuid(secret.id)));
    if secret.name.is_none() || !may(Who::Caller) {
        unusable(checks, "reference", &subject, &secret.pointer);
    } else if secret.pin.is_none() {
        let text = "The Secret has no value any more. Set a new one.";
        let error = FieldError::new(&*secret.pointer, Code::ReferenceUnusable.as_str(), text);
        checks.fail("reference", &subject, Code::ReferenceUnusable, text, vec![error]);
    } else {
        checks.pass("reference", subject.clone());
        if may(Who::Agent) {
            checks.pass("agent_grant", subject);
        } else {
            let text = "The Agent's own identity may not use this Secret. Grant it under the Secret's consumers.";
            let error = FieldError::new(&*secret.pointer, Code::AgentGrantMissing.as_str(), text);
            checks.fail("agent_grant", &subject, Code::AgentGrantMissing, text, vec![error]);
        }
    }
}

/// The bound on running Agents: the Namespace's own, else the Installation's default.
pub(crate) fn most_running(cx: &Cx, namespace: &NamespaceRow) -> Option<u32> {
    namespace.quotas.running_agents.or(cx.settings.default_quotas.running_agents)
}

/// The refusal when that bound is reached.
pub(crate) fn running_quota(most: u32) -> Problem {
    let detail = format!("The Namespace may run {most} Agents and does. Stop one, or ask for a higher quota.");
    Problem::new(Code::QuotaExceeded, detail)
}

/// The refusal when bringing the Agent into service would run more Agents than may run. One that runs already is counted.
pub(crate) async fn over_quota(cx: &Cx, namespace: &NamespaceRow, agent: &AgentRow) -> Result<Option<Problem>> {
    let Some(most) = most_running(cx, namespace).filter(|_| agent.desired_state == DesiredState::Stopped) else {
        return Ok(None);
    };
    let running = occ_store::agent_state::running(&mut cx.read().await?, namespace.id, agent.id).await?;
    Ok((running >= i64::from(most)).then(|| running_quota(most)))
}

async fn quota_free(cx: &Cx, checks: &mut Checks, namespace: &NamespaceRow, agent: &AgentRow) -> Result<()> {
    let name = namespace.meta.name.as_str();
    match over_quota(cx, namespace, agent).await? {
        Some(problem) => checks.fail("quota", name, problem.code, &problem.detail, Vec::new()),
        None => checks.pass("quota", name),
    }
    Ok(())
}

fn snapshot(
    cx: &Cx,
    wanted: &Wanted,
    selection: harness::Selection,
    secrets: Vec<PinnedSecret>,
    runtimes: &std::collections::BTreeMap<String, String>,
) -> Snapshot {
    let version = |program: &str| runtimes.get(program).cloned().unwrap_or_default();
    let program = match selection.harness {
        HarnessId::Openclaw => "openclaw",
        HarnessId::Codex => "codex",
    };
    Snapshot {
        configuration_id: wanted.configuration,
        configuration: wanted.configuration_name.clone(),
        configuration_generation: wanted.generation,
        values: wanted.values.clone(),
        secret_bindings: wanted.secret_bindings(),
        harness_auth: wanted.harness_auth(),
        harness: Harness { id: selection.harness, version: version(program), mode: wanted.mode },
        provider: selection.provider,
        models: selection.models,
        gateway_version: version("openclaw"),
        secrets,
        drivers: [
            ("compute", cx.compute.name()),
            ("secret", cx.secrets.name()),
            ("iam", "native"),
            ("configuration", "database"),
        ]
        .map(|(capability, driver)| (capability.to_owned(), driver.to_owned()))
        .into(),
        backend_id: wanted.backend_id.clone(),
        initial_workspace_files: wanted.files.clone(),
    }
}

/// What the target says to a snapshot that may be admitted.
pub(crate) async fn on_target(
    cx: &Cx,
    namespace: &NamespaceRow,
    agent: &AgentRow,
    snapshot: &Snapshot,
) -> Result<(), Problem> {
    let key = AgentKey { installation: cx.installation, namespace: namespace.id, agent: agent.id };
    let snapshot = Arc::new(snapshot.clone());
    let desired = Desired { key, revision: RevisionId::new(), number: 0, snapshot, proved_before: false };
    cx.compute.validate(&desired).await.map_err(|failure| {
        let Failure { code, cause, next_step, .. } = failure;
        let of = match code {
            FailureCode::InsufficientCapacity | FailureCode::Unschedulable => Code::InsufficientCapacity,
            FailureCode::QuotaExceeded => Code::QuotaExceeded,
            _ => Code::Unavailable,
        };
        Problem::new(of, format!("{cause} {next_step}"))
    })
}

async fn capacity_free(cx: &Cx, checks: &mut Checks, namespace: &NamespaceRow, agent: &AgentRow, snapshot: &Snapshot) {
    match on_target(cx, namespace, agent, snapshot).await {
        Ok(()) => checks.pass("capacity", cx.compute.name()),
        Err(problem) => checks.fail("capacity", cx.compute.name(), problem.code, &problem.detail, Vec::new()),
    }
}

/// Records a refusal, which leaves nothing else behind, and gives it.
pub(crate) async fn refuse<T>(
    cx: &Cx,
    request: (&Operation, &NamespaceRow, &AgentRow),
    epoch: i64,
    problem: Problem,
) -> Result<T> {
    let (operation, namespace, agent) = request;
    let id = occ_model::id::TypedId::uuid(agent.id);
    let entry = Entry::success(operation.id, Kind::Agent, id)
        .of(agent.meta.name.as_str(), Some(namespace.id))
        .ended(Outcome::Failure, problem.code.as_str())
        .with(json!({ "pointers": problem.errors.iter().map(|error| &error.pointer).collect::<Vec<_>>() }));
    cx.store.record(&cx.origin(epoch), &entry).await?;
    Err(problem.into())
}
