//! A Namespace's Secrets.

use leptos::prelude::*;
use occ_model::operation::Kind as ResourceKind;
use occ_model::page::ListQuery;
use occ_model::secret::Secret;

use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::filter::NameFilter;
use crate::pages::paging::{More, cursor};
use crate::pages::params::{filled, namespace_param, query};
use crate::parts::{Ago, Column, Empty, Icon, Kind, LinkButton, PageHead, Pill, Table, Tone};
use crate::paths;
use crate::words::count;

/// The page.
#[component]
pub fn SecretList() -> impl IntoView {
    let namespace = namespace_param();
    let changes = use_live().watch_kinds(&[ResourceKind::Secret, ResourceKind::Agent, ResourceKind::Binding]);
    let (cursor, name) = (cursor(), query("name"));
    let page = read(
        move || (namespace.get(), cursor.get(), filled(&name.get()), changes.get()),
        |(namespace, cursor, name, _)| api::secret::list(namespace, ListQuery { cursor, name, ..ListQuery::default() }),
    );
    let new = Signal::derive(move || paths::secret_new(&namespace.get()));
    view! {
        <PageHead
            title="Secrets"
            sub=|| view! { <span>"Values go in and never come out; an Agent gets one only with a revision"</span> }
            actions=move || {
                view! {
                    <LinkButton href=new kind=Kind::Primary icon=Icon::Plus>
                        "New Secret"
                    </LinkButton>
                }
            }
        />
        <section class="card">
            <NameFilter label="Filter by name" />
            {shown(
                page,
                move |page| {
                    view! {
                        <Show
                            when=move || !page.with(|page| page.items.is_empty())
                            fallback=move || none(new, name.get().is_empty())
                        >
                            <Table
                                label="Secrets"
                                columns=vec![
                                    Column::new("Name"),
                                    Column::new("Used by"),
                                    Column::wide("Version"),
                                    Column::right("Value set"),
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

fn none(new: Signal<String>, whole: bool) -> AnyView {
    if !whole {
        return view! { <Empty icon=Icon::Search title="No Secret is called that" text="Filter by another name." /> }
            .into_any();
    }
    view! {
        <Empty
            icon=Icon::Key
            title="No Secrets yet"
            text="A Secret holds a model key or a channel token. Its value is written once and never shown again."
        >
            <LinkButton href=new kind=Kind::Primary>
                "New Secret"
            </LinkButton>
        </Empty>
    }
    .into_any()
}

fn row(namespace: &str, secret: Secret) -> impl IntoView + use<> {
    let users = secret.consumers.iter().filter(|consumer| consumer.referenced).count();
    let stale = secret.consumers.iter().filter(|consumer| consumer.stale).count();
    view! {
        <tr>
            <td>
                <a class="name" href=paths::secret(namespace, secret.meta.name.as_str())>
                    {secret.meta.title().to_owned()}
                </a>
                <small>{secret.meta.description.as_ref().map(ToString::to_string)}</small>
            </td>
            <td>
                {count(users, "Agent", "Agents")} " "
                {(stale > 0)
                    .then(|| {
                        view! { <Pill tone=Tone::Warn text=format!("{stale} on an older value") /> }
                    })}
            </td>
            <td class="wide">{secret.current_version}</td>
            <td class="right muted">
                <Ago at=secret.value_set_at.to_offset() />
            </td>
        </tr>
    }
}
