//! The work queue: what runs, what waits, what was given up and can be tried again.

use leptos::prelude::*;
use occ_model::operation::Kind as ResourceKind;
use occ_model::page::ListQuery;
use occ_model::work::{Work, WorkKind, WorkState};

use crate::act::{Act, Outcome};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown, shown_if_allowed};
use crate::pages::paging::{More, cursor};
use crate::parts::{Ago, Button, Card, Column, CopyId, Empty, Fact, Facts, Icon, PageHead, Pill, Table, Tone};
use crate::show::{work_kind, work_state};
use crate::words::failed_attempts;

/// The page.
#[component]
pub fn Operations() -> impl IntoView {
    let changes = use_live().watch_kinds(&[ResourceKind::Work]);
    let cursor = cursor();
    let page = read(
        move || (cursor.get(), changes.get()),
        |(cursor, _)| {
            let sort = Some("-createdAt".to_owned());
            api::work::list(ListQuery { cursor, sort, ..ListQuery::default() })
        },
    );
    let act = Act::default();
    let again = Callback::new(move |()| page.refetch());
    view! {
        <PageHead title="Operations" sub=|| view! { <span>"What the workers do, and what they gave up"</span> } />
        <div class="stack">
            <Outcome act />
            <div class="cols">
                <section class="card">
                    {shown(
                        page,
                        move |page| {
                            view! {
                                <Show when=move || !page.with(|page| page.items.is_empty()) fallback=idle>
                                    <Table
                                        label="Work"
                                        columns=vec![
                                            Column::new("Work"),
                                            Column::new("State"),
                                            Column::wide("Failed attempts"),
                                            Column::wide("By"),
                                            Column::wide("Queued"),
                                            Column::right("Do"),
                                        ]
                                    >
                                        {move || {
                                            page.get()
                                                .items
                                                .into_iter()
                                                .map(|work| row(work, act, again))
                                                .collect_view()
                                        }}
                                    </Table>
                                </Show>
                                <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
                            }
                        },
                    )}
                </section>
                <aside class="stack">
                    <Here />
                </aside>
            </div>
        </div>
    }
}

fn idle() -> impl IntoView {
    view! {
        <Empty
            icon=Icon::Pulse
            title="Nothing to do"
            text="Deployments, stops and deletions are listed here while a worker has them, and for some time after."
        />
    }
}

/// A deployment is cancelled as a deployment; a stop or a deletion that was asked for stands.
fn may_be_cancelled(kind: WorkKind) -> bool {
    !matches!(kind, WorkKind::RevisionDeploy | WorkKind::AgentStop | WorkKind::AgentDelete | WorkKind::NamespaceDelete)
}

fn row(work: Work, act: Act, again: Callback<()>) -> impl IntoView {
    let (tone, word) = work_state(work.state);
    let id = work.id.to_string();
    let about = work.agent_id.map(|id| id.to_string()).or_else(|| work.namespace_id.map(|id| id.to_string()));
    let attempts = failed_attempts(work.attempts);
    let button = match work.state {
        WorkState::Failed => Some("Try again"),
        WorkState::Queued if may_be_cancelled(work.kind) => Some("Cancel"),
        _ => None,
    };
    let retry = work.state == WorkState::Failed;
    let press = move |()| {
        let id = id.clone();
        act.send(
            move |key| {
                let id = id.clone();
                async move { if retry { api::work::retry(id, key).await } else { api::work::cancel(id, key).await } }
            },
            move |_: Work| again.run(()),
        );
    };
    view! {
        <tr>
            <td>
                <span class="name">{work_kind(work.kind)}</span>
                {about
                    .map(|id| {
                        view! {
                            <small>
                                <CopyId id />
                            </small>
                        }
                    })}
            </td>
            <td>
                <Pill tone text=word dot=true />
                <small>{work.last_error}</small>
            </td>
            <td class="wide">{attempts}</td>
            <td class="wide">{work.requested_by}</td>
            <td class="wide muted">
                <Ago at=work.created_at.to_offset() />
            </td>
            <td class="right">
                {button
                    .map(|words| {
                        view! {
                            <Button small=true busy=act.busy() blocked=act.blocked() on_press=press>
                                {words}
                            </Button>
                        }
                    })}
            </td>
        </tr>
    }
}

/// What is installed here and what each driver guarantees.
#[component]
fn Here() -> impl IntoView {
    let installation = read(|| (), |()| api::installation::get());
    shown_if_allowed(installation, |installation| {
        let runtimes = move || {
            let capabilities = installation.with(|i| i.capabilities.clone());
            let ready = capabilities.runtimes_ready;
            let rows =
                capabilities.runtimes.into_iter().map(|(name, version)| view! { <Fact name=name>{version}</Fact> });
            view! {
                {rows.collect_view()}
                <Fact name="Installed">
                    <Pill
                        tone=if ready { Tone::Ok } else { Tone::Info }
                        text=if ready { "yes" } else { "on their way" }
                    />
                </Fact>
            }
        };
        let drivers = move || {
            let drivers = installation.with(|i| i.capabilities.drivers.clone());
            drivers.into_iter().map(|(kind, name)| view! { <Fact name=kind>{name}</Fact> }).collect_view()
        };
        view! {
            <Card title="Runtimes">
                <Facts>{runtimes}</Facts>
            </Card>
            <Card title="Drivers">
                <Facts>{drivers}</Facts>
            </Card>
            <Card title="Installation">
                <Facts>
                    <Fact name="Version">{move || installation.with(|i| i.version.clone())}</Fact>
                    <Fact name="Id">
                        <CopyId id=Signal::derive(move || installation.with(|i| i.id.to_string())) />
                    </Fact>
                </Facts>
            </Card>
        }
    })
}
