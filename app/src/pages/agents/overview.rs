//! What is happening, and what serves meanwhile.

use leptos::prelude::*;
use occ_model::agent::{Agent, ExecutionMode};
use occ_model::deployment::{Deployment, DiffEntry};
use occ_model::installation::Installation;

use super::deployment::DeploymentCard;
use super::frame::{Here, here};
use crate::api;
use crate::load::{Reading, read, shown, shown_if_allowed};
use crate::parts::{Ago, Card, DiffView, Empty, Fact, Facts, Icon, LinkButton, Pill, Tone};
use crate::paths;
use crate::show::{diff_lines, standing};

/// The tab.
#[component]
pub fn AgentOverview() -> impl IntoView {
    here().map(|here| view! { <Overview here /> })
}

#[component]
fn Overview(here: Here) -> impl IntoView {
    let deployment = Memo::new(move |_| here.agent.with(|agent| agent.deployment.clone()));
    let exists = Memo::new(move |_| deployment.with(Option::is_some));
    let differs = Memo::new(move |_| here.agent.with(|agent| agent.drift && agent.active_revision.is_some()));
    let diff = read(
        move || {
            (here.namespace.get(), here.name.get(), here.agent.with(|a| (a.meta.generation, a.active_revision.clone())))
        },
        |(namespace, name, _)| api::revision::diff(namespace, name, None, None),
    );
    view! {
        <div class="cols">
            <div class="stack">
                <Show when=move || exists.get() fallback=move || first_step()>
                    <LatestDeployment here deployment />
                </Show>
                <Show when=move || differs.get()>
                    <WhatChanges diff />
                </Show>
            </div>
            <aside class="stack">
                <ServingNow here />
                <References here />
                <Guarantees />
            </aside>
        </div>
    }
}

fn first_step() -> impl IntoView {
    view! {
        <section class="card">
            <Empty
                icon=Icon::Play
                title="Never deployed"
                text="Deploy it to admit revision 1: an unchangeable copy of its definition, brought up as its own gateway."
            />
        </section>
    }
}

#[component]
fn LatestDeployment(here: Here, deployment: Memo<Option<Deployment>>) -> impl IntoView {
    // The card stays while the deployment moves; it is made anew only for another deployment.
    let id = Memo::new(move |_| deployment.with(|d| d.as_ref().map(|d| d.id)));
    move || {
        id.get().and_then(|_| deployment.get_untracked()).map(|first| {
            let current = Signal::derive(move || deployment.get().unwrap_or_else(|| first.clone()));
            view! { <DeploymentCard here deployment=current /> }
        })
    }
}

#[component]
fn WhatChanges(diff: Reading<Vec<DiffEntry>>) -> impl IntoView {
    view! {
        <Card title="What a deployment would change" note="against what serves now" flush=true>
            {shown(
                diff,
                |entries| {
                    view! {
                        <DiffView
                            label="Draft against the active revision"
                            lines=Signal::derive(move || entries.with(|entries| diff_lines(entries)))
                        />
                    }
                },
            )}
        </Card>
    }
}

#[component]
fn ServingNow(here: Here) -> impl IntoView {
    let active = Memo::new(move |_| here.agent.with(|agent| agent.active_revision.clone()));
    let tone = Signal::derive(move || {
        let troubled = here.agent.with(|agent| standing(agent).tone == Tone::Bad);
        match (active.with(Option::is_some), troubled) {
            (false, _) => Tone::Idle,
            (true, true) => Tone::Warn,
            (true, false) => Tone::Ok,
        }
    });
    let text = Signal::derive(move || {
        active.get().map_or_else(|| "Nothing".to_owned(), |revision| format!("Revision {}", revision.number))
    });
    let pill = move || view! { <Pill tone text dot=true /> };
    let health = move || {
        here.agent.with(|agent| {
            let state = agent.health.state.to_string();
            let checked = agent.health.checked_at.unwrap_or(agent.health.changed_at);
            let word = if agent.health.checked_at.is_some() { "checked " } else { "since " };
            view! {
                {state}
                " "
                <span class="faint">{word} <Ago at=checked.to_offset() /></span>
            }
        })
    };
    let mode = move || here.agent.with(mode_words);
    let route = move || here.agent.with(|agent| agent.route_state.to_string());
    view! {
        <Card title="Serving now" actions=pill>
            <Facts>
                <Fact name="Health">{health}</Fact>
                <Fact name="Doors">{route}</Fact>
                <Fact name="Mode">{mode}</Fact>
            </Facts>
        </Card>
    }
}

fn mode_words(agent: &Agent) -> &'static str {
    match agent.execution_mode {
        ExecutionMode::Embedded => "embedded: OpenClaw's own Harness",
        ExecutionMode::Dedicated => "dedicated: Codex in a process of its own",
    }
}

#[component]
fn References(here: Here) -> impl IntoView {
    let configuration = move || {
        let name = here.agent.with(|agent| agent.configuration.to_string());
        let href = paths::configuration(&here.namespace.get(), &name);
        view! {
            <a class="link" href=href>
                {name}
            </a>
        }
    };
    let key = move || {
        let name = here.agent.with(|agent| Some(agent.harness_auth.as_ref()?.api_key.as_ref()?.to_string()));
        match name {
            None => view! { <span class="faint">"none"</span> }.into_any(),
            Some(name) => {
                let href = paths::secret(&here.namespace.get(), &name);
                view! {
                    <a class="link" href=href>
                        {name}
                    </a>
                }
                .into_any()
            }
        }
    };
    let edit = Signal::derive(move || paths::agent_tab(&here.namespace.get(), &here.name.get(), "configuration"));
    view! {
        <Card
            title="References"
            actions=move || {
                view! {
                    <LinkButton small=true href=edit>
                        "Edit"
                    </LinkButton>
                }
            }
        >
            <Facts>
                <Fact name="Configuration">{configuration}</Fact>
                <Fact name="Model key">{key}</Fact>
            </Facts>
        </Card>
    }
}

#[component]
fn Guarantees() -> impl IntoView {
    let installation = read(|| (), |()| api::installation::get());
    let rows = |installation: Signal<Installation>| {
        move || {
            let guarantees = installation.with(|i| i.capabilities.guarantees.clone());
            guarantees
                .into_iter()
                .map(|(topic, guarantee)| {
                    let class = if guarantee.holds { "" } else { "tone-text tone-warn" };
                    view! {
                        <Fact name=topic>
                            <span class=class>{guarantee.text}</span>
                        </Fact>
                    }
                })
                .collect_view()
        }
    };
    shown_if_allowed(installation, move |installation| {
        view! {
            <Card title="Guarantees here">
                <dl class="facts tall">{rows(installation)}</dl>
            </Card>
        }
    })
}
