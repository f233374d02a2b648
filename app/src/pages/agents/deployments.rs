//! An Agent's deployments, newest first.

use leptos::prelude::*;
use occ_model::deployment::Deployment;
use occ_model::operation::Kind as ResourceKind;
use occ_model::page::ListQuery;

use super::frame::{Here, here};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::paging::{More, cursor};
use crate::parts::{Ago, Column, Empty, Icon, Pill, Table};
use crate::paths;
use crate::show::{kind_words, phase};
use crate::words::{duration, millis_between};

/// The tab.
#[component]
pub fn AgentDeployments() -> impl IntoView {
    here().map(|here| view! { <List here /> })
}

#[component]
fn List(here: Here) -> impl IntoView {
    let changes = use_live().watch_kinds(&[ResourceKind::Deployment]);
    let cursor = cursor();
    let page = read(
        move || (here.namespace.get(), here.name.get(), cursor.get(), changes.get()),
        |(namespace, name, cursor, _)| {
            api::deployment::list(namespace, name, ListQuery { cursor, ..ListQuery::default() })
        },
    );
    let none = || {
        view! {
            <Empty
                icon=Icon::Play
                title="Never deployed"
                text="Each deployment is one attempt to bring a revision into service; it is listed here with its steps and times."
            />
        }
    };
    view! {
        <section class="card">
            {shown(
                page,
                move |page| {
                    view! {
                        <Show when=move || !page.with(|page| page.items.is_empty()) fallback=none>
                            <Table
                                label="Deployments"
                                columns=vec![
                                    Column::new("Revision"),
                                    Column::new("State"),
                                    Column::wide("Why"),
                                    Column::wide("By"),
                                    Column::wide("To serving"),
                                    Column::right("Admitted"),
                                ]
                            >
                                {move || page.get().items.into_iter().map(|item| row(here, item)).collect_view()}
                            </Table>
                        </Show>
                        <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
                    }
                },
            )}
        </section>
    }
}

fn row(here: Here, deployment: Deployment) -> impl IntoView {
    let (tone, word) = phase(deployment.phase);
    let href = paths::deployment(&here.namespace.get(), &here.name.get(), &deployment.id.to_string());
    let serving = deployment.steps.iter().find(|step| step.kind == occ_model::deployment::StepKind::Serving);
    let took = serving
        .and_then(|step| step.ended_at)
        .map(|end| duration(millis_between(deployment.created_at.to_offset(), end.to_offset())));
    view! {
        <tr>
            <td>
                <a class="name" href=href>
                    {format!("Revision {}", deployment.revision)}
                </a>
            </td>
            <td>
                <Pill tone text=word dot=true />
                {deployment.failure.map(|failure| view! { <small>{failure.cause}</small> })}
            </td>
            <td class="wide">{kind_words(deployment.kind)}</td>
            <td class="wide">{deployment.requested_by}</td>
            <td class="wide">{took.unwrap_or_else(|| "not reached".to_owned())}</td>
            <td class="right muted">
                <Ago at=deployment.created_at.to_offset() />
            </td>
        </tr>
    }
}
