//! The Namespaces that the caller may read.

use leptos::prelude::*;
use occ_model::namespace::Namespace;
use occ_model::operation::Kind as ResourceKind;
use occ_model::page::ListQuery;

use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::paging::{More, cursor};
use crate::parts::{Ago, Column, Empty, Icon, Kind, LinkButton, PageHead, Pill, Table};
use crate::paths;
use crate::show::namespace_status;
use crate::words::count;

/// The page.
#[component]
pub fn NamespaceList() -> impl IntoView {
    let changes = use_live().watch_kinds(&[ResourceKind::Namespace, ResourceKind::Agent]);
    let cursor = cursor();
    let page = read(
        move || (changes.get(), cursor.get()),
        |(_, cursor)| api::namespace::list(ListQuery { cursor, ..ListQuery::default() }),
    );
    view! {
        <PageHead
            title="Namespaces"
            sub=|| view! { <span>"Each is a tenant: nothing in one refers to anything in another"</span> }
            actions=|| {
                view! {
                    <LinkButton href=paths::NAMESPACE_NEW kind=Kind::Primary icon=Icon::Plus>
                        "New Namespace"
                    </LinkButton>
                }
            }
        />
        <section class="card">
            {shown(
                page,
                |page| {
                    view! {
                        <Show when=move || !page.with(|page| page.items.is_empty()) fallback=none>
                            <Table
                                label="Namespaces"
                                columns=vec![
                                    Column::new("Name"),
                                    Column::new("State"),
                                    Column::wide("Agents"),
                                    Column::right("Changed"),
                                ]
                            >
                                {move || page.get().items.into_iter().map(row).collect_view()}
                            </Table>
                        </Show>
                        <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
                    }
                },
            )}
        </section>
    }
}

fn none() -> impl IntoView {
    view! {
        <Empty
            icon=Icon::Stack
            title="No Namespaces yet"
            text="Configurations, Secrets and Agents live in a Namespace. Make the first one, for a team or a purpose."
        >
            <LinkButton href=paths::NAMESPACE_NEW kind=Kind::Primary>
                "New Namespace"
            </LinkButton>
        </Empty>
    }
}

fn row(namespace: Namespace) -> impl IntoView {
    let (tone, word) = namespace_status(namespace.status);
    let agents = count(namespace.usage.agents as usize, "Agent", "Agents");
    let running = format!(", {} running", namespace.usage.running_agents);
    view! {
        <tr>
            <td>
                <a class="name" href=paths::namespace(namespace.meta.name.as_str())>
                    {namespace.meta.title().to_owned()}
                </a>
                <small>{namespace.meta.name.to_string()}</small>
            </td>
            <td>
                <Pill tone text=word dot=true />
                {namespace.status_reason.map(|reason| view! { <small>{reason}</small> })}
            </td>
            <td class="wide">{agents} <span class="faint">{running}</span></td>
            <td class="right muted">
                <Ago at=namespace.meta.updated_at.to_offset() />
            </td>
        </tr>
    }
}
