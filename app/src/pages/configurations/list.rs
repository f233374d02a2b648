//! A Namespace's Configurations.

use leptos::prelude::*;
use occ_model::configuration::Configuration;
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::page::ListQuery;

use crate::allowed::allowed;
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::filter::NameFilter;
use crate::pages::paging::{More, cursor};
use crate::pages::params::{filled, namespace_param, query};
use crate::parts::{Ago, Column, Empty, Icon, Kind, LinkButton, PageHead, Table};
use crate::paths;
use crate::words::count;

/// The page.
#[component]
pub fn ConfigurationList() -> impl IntoView {
    let namespace = namespace_param();
    let changes = use_live().watch_kinds(&[ResourceKind::Configuration, ResourceKind::Agent]);
    let (cursor, name) = (cursor(), query("name"));
    let may = allowed(move || format!("namespaces/{}", namespace.get()));
    let page = read(
        move || (namespace.get(), cursor.get(), filled(&name.get()), changes.get()),
        |(namespace, cursor, name, _)| {
            api::configuration::list(namespace, ListQuery { cursor, name, ..ListQuery::default() })
        },
    );
    let new = move || {
        let missing = may.missing(Action::Create, ResourceKind::Configuration);
        view! {
            <Show when=move || missing.get().is_none()>
                <LinkButton
                    href=Signal::derive(move || paths::configuration_new(&namespace.get()))
                    kind=Kind::Primary
                    icon=Icon::Plus
                >
                    "New Configuration"
                </LinkButton>
            </Show>
        }
    };
    view! {
        <PageHead
            title="Configurations"
            sub=|| view! { <span>"Native OpenClaw documents, without secrets, used by any number of Agents"</span> }
            actions=move || view! { <Transition>{new()}</Transition> }
        />
        <section class="card">
            <NameFilter label="Filter by name" />
            {shown(
                page,
                move |page| {
                    view! {
                        <Show
                            when=move || !page.with(|page| page.items.is_empty())
                            fallback=move || none(namespace, name.get().is_empty())
                        >
                            <Table
                                label="Configurations"
                                columns=vec![
                                    Column::new("Name"),
                                    Column::new("Used by"),
                                    Column::wide("Generation"),
                                    Column::right("Changed"),
                                ]
                            >
                                {move || {
                                    page.get().items.into_iter().map(|item| row(&namespace.get(), item)).collect_view()
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

fn none(namespace: Memo<String>, whole: bool) -> AnyView {
    if !whole {
        return view! { <Empty icon=Icon::Search title="No Configuration is called that" text="Filter by another name." /> }
            .into_any();
    }
    view! {
        <Empty
            icon=Icon::File
            title="No Configurations yet"
            text="A Configuration says which model an Agent uses and how it works. The guided creation of an Agent makes one, too."
        >
            <LinkButton href=Signal::derive(move || paths::configuration_new(&namespace.get())) kind=Kind::Primary>
                "New Configuration"
            </LinkButton>
        </Empty>
    }
    .into_any()
}

fn row(namespace: &str, configuration: Configuration) -> impl IntoView + use<> {
    let used = match configuration.consumers.len() {
        0 => "no Agent".to_owned(),
        n => count(n, "Agent", "Agents"),
    };
    let names = configuration.consumers.iter().take(3).map(|agent| agent.name.to_string()).collect::<Vec<_>>();
    view! {
        <tr>
            <td>
                <a class="name" href=paths::configuration(namespace, configuration.meta.name.as_str())>
                    {configuration.meta.title().to_owned()}
                </a>
                <small>{configuration.meta.description.as_ref().map(ToString::to_string)}</small>
            </td>
            <td>{used} <small>{names.join(", ")}</small></td>
            <td class="wide">{configuration.meta.generation}</td>
            <td class="right muted">
                <Ago at=configuration.meta.updated_at.to_offset() />
            </td>
        </tr>
    }
}
