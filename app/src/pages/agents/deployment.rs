//! One deployment: its steps to time, why it failed and what to do, cancelling it.

use leptos::prelude::*;
use occ_model::deployment::{CredentialProof, Deployment, Diagnosis, Phase};
use occ_model::failure::{Failure, FailureCode};
use occ_model::operation::{Action, Kind as ResourceKind};

use super::frame::{Here, here};
use crate::act::{Act, Outcome};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::params::param;
use crate::parts::{Ago, Button, Card, CopyId, Fact, Facts, Kind, LinkButton, Note, Pill, StepsChart, Tone};
use crate::paths;
use crate::show::{failure_means, kind_words, phase, steps};
use crate::words::{count, duration, failed_attempts};

/// The page of one deployment.
#[component]
pub fn AgentDeployment() -> impl IntoView {
    here().map(|here| {
        let id = param("deployment");
        let changes = use_live().watch_kinds(&[ResourceKind::Deployment]);
        let reading = read(
            move || (here.namespace.get(), here.name.get(), id.get(), changes.get()),
            |(namespace, name, id, _)| api::deployment::get(namespace, name, id),
        );
        shown(reading, move |deployment| {
            view! {
                <div class="cols">
                    <div class="stack">
                        <DeploymentCard here deployment />
                        <Diagnose here deployment />
                    </div>
                    <aside class="stack">
                        <DeploymentFacts deployment />
                    </aside>
                </div>
            }
        })
    })
}

/// Steps, failure and cancel: the same card live on the overview and later on its own page.
#[component]
pub(super) fn DeploymentCard(here: Here, deployment: Signal<Deployment>) -> impl IntoView {
    let act = Act::default();
    let cancel = move |()| {
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        let id = deployment.with_untracked(|d| d.id.to_string());
        act.send(
            move |key| api::deployment::cancel(namespace.clone(), name.clone(), id.clone(), key),
            move |_: Deployment| here.again.run(()),
        );
    };
    // After the pointer has moved there is no way back by cancelling, only forward or a return by itself.
    let cancellable = move || deployment.with(|d| matches!(d.phase, Phase::Queued | Phase::Preparing | Phase::Ready));
    let missing = here.may.missing(Action::Operate, ResourceKind::Agent);
    let blocked = Signal::derive(move || act.blocked().get().or_else(|| missing.get()));
    let tone = Signal::derive(move || deployment.with(|d| phase(d.phase).0));
    let word = Signal::derive(move || deployment.with(|d| phase(d.phase).1.to_owned()));
    let title = Signal::derive(move || deployment.with(|d| format!("Revision {}", d.revision)));
    let note = Signal::derive(move || {
        Some(deployment.with(|d| format!("{} by {}", kind_words(d.kind).to_lowercase(), d.requested_by)))
    });
    let actions = move || {
        view! {
            <Pill tone text=word dot=true />
            <Show when=cancellable>
                <Button small=true kind=Kind::Danger busy=act.busy() blocked on_press=cancel>
                    "Cancel"
                </Button>
            </Show>
        }
    };
    view! {
        <FailureNote here deployment />
        <Card title note actions>
            <Outcome act means="The deployment goes on." />
            <StepsChart steps=Signal::derive(move || deployment.with(steps)) />
            <Show when=move || deployment.with(|d| d.next_attempt_at.is_some() && d.phase.in_progress())>
                <p class="muted">
                    {move || {
                        deployment
                            .with(|d| count(
                                usize::try_from(d.attempts).unwrap_or(0),
                                "failed attempt",
                                "failed attempts",
                            ))
                    }} " so far, the next "
                    {move || deployment.with(|d| d.next_attempt_at).map(|at| view! { <Ago at=at.to_offset() /> })}
                </p>
            </Show>
        </Card>
    }
}

/// What happened, what it means for what serves, what to do next, with the button for it.
#[component]
fn FailureNote(here: Here, deployment: Signal<Deployment>) -> impl IntoView {
    let failure = Memo::new(move |_| deployment.with(|d| d.failure.clone()));
    let note = move |failure: Failure| {
        let serving = here.agent.with(|agent| agent.active_revision.as_ref().map(|r| r.number));
        let places = failure.errors.into_iter().map(|error| {
            view! {
                <li>
                    <code>{error.pointer}</code>
                    " "
                    {error.message}
                </li>
            }
        });
        let places = view! { <ul>{places.collect_view()}</ul> };
        view! {
            <Note
                tone=Tone::Bad
                what=failure.cause
                means=failure_means(serving)
                next=failure.next_step
                places=places.into_any()
            >
                {remedy(here, failure.code)}
            </Note>
        }
    };
    move || failure.get().map(note)
}

/// The way to where the failure is put right.
fn remedy(here: Here, code: FailureCode) -> Option<AnyView> {
    let namespace = here.namespace.get();
    let link = |href: String, words: &'static str| {
        view! {
            <LinkButton small=true href=href>
                {words}
            </LinkButton>
        }
        .into_any()
    };
    match code {
        FailureCode::ModelCredentialRejected | FailureCode::SecretUnavailable => {
            let secret = here.agent.with(|agent| Some(agent.harness_auth.as_ref()?.api_key.as_ref()?.to_string()))?;
            Some(link(paths::secret(&namespace, &secret), "Set a new value"))
        }
        FailureCode::ConfigurationRejectedByRuntime
        | FailureCode::ModelUnreachable
        | FailureCode::ModelAddressWrong => {
            let configuration = here.agent.with(|agent| agent.configuration.to_string());
            Some(link(paths::configuration(&namespace, &configuration), "Edit the Configuration"))
        }
        FailureCode::GatewayCrashloop | FailureCode::GatewayUnready | FailureCode::HarnessUnready => {
            Some(link(paths::agent_tab(&namespace, &here.name.get(), "logs"), "Read the logs"))
        }
        _ => None,
    }
}

#[component]
fn DeploymentFacts(deployment: Signal<Deployment>) -> impl IntoView {
    let proof = move || {
        deployment.with(|d| match d.credential_proof {
            Some(CredentialProof::Proven) => "proven",
            Some(CredentialProof::Unproven) => "unproven, accepted by policy",
            Some(CredentialProof::NotNeeded) => "none needed",
            None => "not reached",
        })
    };
    let interruption = move || {
        deployment.with(|d| match d.interruption_ms {
            Some(millis) => duration(u64::try_from(millis).unwrap_or(0)),
            None => "none measured".to_owned(),
        })
    };
    view! {
        <Card title="Facts">
            <Facts>
                <Fact name="Id">
                    <CopyId id=Signal::derive(move || deployment.with(|d| d.id.to_string())) />
                </Fact>
                <Fact name="Admitted">
                    <Ago at=Signal::derive(move || deployment.with(|d| d.created_at.to_offset())) />
                </Fact>
                <Fact name="By">{move || deployment.with(|d| d.requested_by.clone())}</Fact>
                <Fact name="Failed attempts">{move || failed_attempts(deployment.with(|d| d.attempts))}</Fact>
                <Fact name="Model key">{proof}</Fact>
                <Fact name="Interruption">{interruption}</Fact>
            </Facts>
        </Card>
    }
}

/// Looks at the target now and says what is wrong there.
#[component]
fn Diagnose(here: Here, deployment: Signal<Deployment>) -> impl IntoView {
    let found = RwSignal::new(None::<Diagnosis>);
    let act = Act::default();
    let look = move |()| {
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        let id = deployment.with_untracked(|d| d.id.to_string());
        act.send(
            move |_| api::deployment::diagnose(namespace.clone(), name.clone(), id.clone()),
            move |diagnosis| found.set(Some(diagnosis)),
        );
    };
    let findings = move |diagnosis: Diagnosis| {
        if diagnosis.findings.is_empty() {
            return view! { <p class="muted">"Nothing is wrong on the target now."</p> }.into_any();
        }
        diagnosis
            .findings
            .into_iter()
            .map(|finding| view! { <Note tone=Tone::Warn what=finding.cause next=finding.next_step /> })
            .collect_view()
            .into_any()
    };
    view! {
        <Card
            title="Diagnosis"
            note="of the Agent on its target, now"
            actions=move || {
                view! {
                    <Button small=true busy=act.busy() on_press=look>
                        "Look"
                    </Button>
                }
            }
        >
            <Outcome act means="Looking changes nothing." />
            {move || found.get().map(findings)}
        </Card>
    }
}
