//! An Agent's revisions: read, compare any two (or with the draft), roll back.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::deployment::DeployOutcome;
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
use crate::parts::{Ago, Button, Card, Column, DiffView, Empty, Icon, Pill, Table, Tone};
use crate::paths;
use crate::show::diff_lines;

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
    let roll_back = Callback::new(move |revision: i64| {
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
        <Outcome act means="What serves is untouched." />
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
                                    page.get()
                                        .items
                                        .into_iter()
                                        .map(|item| row(here, item, act, roll_back))
                                        .collect_view()
                                }}
                            </Table>
                        </Show>
                        <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
                    }
                },
            )}
        </section>
    }
}

fn row(here: Here, revision: Revision, act: Act, roll_back: Callback<i64>) -> impl IntoView {
    let number = revision.number;
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
                    {revision.active.then(|| view! { <Pill tone=Tone::Ok text="Active" dot=true /> })}
                </span>
                <small>{copied}</small>
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
                            view! {
                                <Button small=true busy=act.busy() blocked on_press=move |()| roll_back.run(number)>
                                    "Roll back"
                                </Button>
                            }
                        })}
                </span>
            </td>
        </tr>
    }
}
