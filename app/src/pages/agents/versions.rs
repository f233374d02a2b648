//! An Agent's revisions: read, compare any two (or with the draft), roll back.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::agent::ROLLBACK_MEANS;
use occ_model::deployment::{DeployOutcome, Phase};
use occ_model::failure::FailureCode;
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::page::ListQuery;
use occ_model::revision::Revision;

use super::frame::{Here, here};
use crate::act::{Act, Outcome};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::paging::{More, cursor};
use crate::pages::params::{filled, query};
use crate::parts::{Ago, Button, Card, Column, Dialog, DiffView, Empty, Icon, Kind, Pill, Table, Tone};
use crate::paths;
use crate::show::{diff_lines, phase as deployment_phase};

/// The tab; `?from=` and `?to=` choose what is compared.
#[component]
pub fn AgentVersions() -> impl IntoView {
    here().map(|here| {
        view! {
            <div class="stack">
                <Comparison here />
                <List here />
            </div>
        }
    })
}

#[component]
fn Comparison(here: Here) -> impl IntoView {
    let (from, to) = (query("from"), query("to"));
    let chosen = move || !from.with(String::is_empty);
    let diff = read(
        move || (here.namespace.get(), here.name.get(), filled(&from.get()), filled(&to.get())),
        |(namespace, name, from, to)| async move {
            // Nothing was chosen: nothing is compared.
            if from.is_none() { Ok(Vec::new()) } else { api::revision::diff(namespace, name, from, to).await }
        },
    );
    let note = Signal::derive(move || {
        let side = |text: String| {
            if text.is_empty() || text == "draft" { "the draft".to_owned() } else { format!("revision {text}") }
        };
        Some(format!("{} against {}", side(from.get()), side(to.get())))
    });
    view! {
        <Show when=chosen>
            <Card title="What differs" note flush=true>
                {shown(
                    diff,
                    |entries| {
                        view! {
                            <Show
                                when=move || !entries.with(Vec::is_empty)
                                fallback=|| view! { <p class="muted p-4">"They do not differ."</p> }
                            >
                                <DiffView
                                    label="What differs"
                                    lines=Signal::derive(move || entries.with(|entries| diff_lines(entries)))
                                />
                            </Show>
                        }
                    },
                )}
            </Card>
        </Show>
    }
}

#[component]
fn List(here: Here) -> impl IntoView {
    let changes = use_live().watch_kinds(&[ResourceKind::Agent, ResourceKind::Revision]);
    let cursor = cursor();
    let page = read(
        move || (here.namespace.get(), here.name.get(), cursor.get(), changes.get()),
        |(namespace, name, cursor, _)| {
            api::revision::list(namespace, name, ListQuery { cursor, ..ListQuery::default() })
        },
    );
    let act = Act::default();
    let navigate = use_navigate();
    // The question, and what was answered.
    let (asking, chosen) = (RwSignal::new(false), RwSignal::new(None::<Revision>));
    let ask = Callback::new(move |revision: Revision| {
        chosen.set(Some(revision));
        asking.set(true);
    });
    let roll_back = Callback::new(move |revision: i64| {
        asking.set(false);
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        let (to, navigate) = (paths::agent(&namespace, &name), navigate.clone());
        act.send(
            move |key| api::agent::roll_back(namespace.clone(), name.clone(), revision, key),
            move |_: DeployOutcome| {
                here.again.run(());
                navigate(&to, leptos_router::NavigateOptions::default());
            },
        );
    });
    let none = || {
        view! {
            <Empty
                icon=Icon::Stack
                title="No versions yet"
                text="Deploying admits a revision: an unchangeable copy of the definition. Each is kept here to compare and to go back to."
            />
        }
    };
    view! {
        <Outcome act means="Nothing was changed." />
        <section class="card">
            {shown(
                page,
                move |page| {
                    view! {
                        <Show when=move || !page.with(|page| page.items.is_empty()) fallback=none>
                            <Table
                                label="Versions"
                                columns=vec![
                                    Column::new("Revision"),
                                    Column::new("Model"),
                                    Column::wide("Harness"),
                                    Column::wide("Configuration"),
                                    Column::wide("Admitted"),
                                    Column::right("Do"),
                                ]
                            >
                                {move || {
                                    page.get().items.into_iter().map(|item| row(here, item, act, ask)).collect_view()
                                }}
                            </Table>
                        </Show>
                        <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
                    }
                },
            )}
        </section>
        <Dialog id="roll-back" open=asking title="Roll back">
            {move || chosen.get().map(|revision| question(here, revision, asking, act, roll_back))}
        </Dialog>
    }
}

/// The question before a roll back: what comes of it, for what serves and for what the new revision is.
fn question(
    here: Here,
    revision: Revision,
    asking: RwSignal<bool>,
    act: Act,
    roll_back: Callback<i64>,
) -> impl IntoView {
    let number = revision.number;
    let unserved = ended(&revision).map(|words| view! { <p>{format!("Revision {number} {words}")}</p> });
    let now = move || match here.agent.with(|agent| agent.serving().map(|serving| serving.number)) {
        Some(serving) => format!("Revision {serving} serves now. {ROLLBACK_MEANS}"),
        None => "Nothing serves now. The new revision uses today's values of its Secrets.".to_owned(),
    };
    let keep = move || {
        let serves = here.agent.with(|agent| agent.serving().is_some());
        if serves { "Keep what serves" } else { "Leave it" }
    };
    view! {
        {unserved}
        <p>{format!("A new revision is admitted with what revision {number} was, and deployed.")}</p>
        <p>{now}</p>
        <div class="acts">
            <Button on_press=move |()| asking.set(false)>{keep}</Button>
            <Button kind=Kind::Primary busy=act.busy() blocked=act.blocked() on_press=move |()| roll_back.run(number)>
                {format!("Roll back to revision {number}")}
            </Button>
        </div>
    }
}

/// How a revision ended that never served.
fn ended(revision: &Revision) -> Option<String> {
    if revision.served || revision.phase.is_some_and(Phase::in_progress) {
        return None;
    }
    let why = match (revision.failure, revision.phase) {
        (Some(code), _) => code.what().to_owned(),
        (None, Some(phase)) => format!("Its deployment: {}.", deployment_phase(phase).1.to_lowercase()),
        (None, None) => String::new(),
    };
    Some(format!("never served. {why}").trim_end().to_owned())
}

fn row(here: Here, revision: Revision, act: Act, ask: Callback<Revision>) -> impl IntoView {
    let number = revision.number;
    let never = ended(&revision);
    let whole = revision.clone();
    let serves = here.agent.with(|agent| agent.serving().is_some_and(|serving| serving.number == number));
    let base = paths::agent_tab(&here.namespace.get(), &here.name.get(), "versions");
    let with_draft = format!("{base}?from={number}&to=draft");
    let with_before = (number > 1).then(|| format!("{base}?from={}&to={number}", number - 1));
    let missing = here.may.missing(Action::Deploy, ResourceKind::Agent);
    let blocked = Signal::derive(move || act.blocked().get().or_else(|| missing.get()));
    let snapshot = revision.snapshot;
    let harness = format!("{} {}, {}", snapshot.harness.id, snapshot.harness.version, snapshot.harness.mode);
    let configuration = format!("{}, generation {}", snapshot.configuration, snapshot.configuration_generation);
    let copied = revision.copied_from.map(|from| format!("copies revision {from}"));
    view! {
        <tr>
            <td>
                <span class="row">
                    <span class="name">{number}</span>
                    {revision
                        .active
                        .then(|| {
                            let tone = if serves { Tone::Ok } else { Tone::Warn };
                            view! { <Pill tone text="Active" dot=true /> }
                        })}
                    {never.is_some().then(|| view! { <Pill tone=Tone::Bad text="Never served" dot=true /> })}
                </span>
                <small>{copied}</small>
                <small>{revision.failure.filter(|_| never.is_some()).map(FailureCode::what)}</small>
            </td>
            <td class="mono">{snapshot.models.join(", ")}</td>
            <td class="wide">{harness}</td>
            <td class="wide">{configuration}</td>
            <td class="wide muted">
                <Ago at=revision.created_at.to_offset() />
                <small>{revision.admitted_by}</small>
            </td>
            <td class="right">
                <span class="row justify-end">
                    {with_before
                        .map(|href| {
                            view! {
                                <a class="link" href=href>
                                    "Diff"
                                </a>
                            }
                        })} <a class="link" href=with_draft>
                        "Against draft"
                    </a>
                    {(!revision.active)
                        .then(|| {
                            let kind = if never.is_some() { Kind::Quiet } else { Kind::Plain };
                            let words = if never.is_some() { "Roll back all the same" } else { "Roll back" };
                            view! {
                                <Button
                                    small=true
                                    kind
                                    busy=act.busy()
                                    blocked
                                    on_press=move |()| ask.run(whole.clone())
                                >
                                    {words}
                                </Button>
                            }
                        })}
                </span>
            </td>
        </tr>
    }
}
