//! Home: what needs me?

use leptos::prelude::*;
use occ_model::agent::Agent;
use occ_model::namespace::{Namespace, NamespaceStatus};
use occ_model::operation::Kind as ResourceKind;
use occ_model::page::ListQuery;
use occ_model::secret::Secret;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::fault::Fault;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::parts::{Ago, Card, Column, Empty, Icon, Kind, LinkButton, PageHead, Pill, Table, Tone};
use crate::paths;
use crate::show::{namespace_status, standing};
use crate::words::count;

/// Home looks into so many Namespaces; who has more goes by their lists.
const LOOKS_INTO: usize = 12;

/// What the page shows: per Namespace, the Agents and Secrets that the caller may read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Everything {
    places: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    namespace: Namespace,
    agents: Vec<Agent>,
    secrets: Vec<Secret>,
}

/// Something that somebody should look at.
struct Finding {
    tone: Tone,
    word: &'static str,
    name: String,
    text: String,
    href: String,
    at: occ_model::time::Timestamp,
}

async fn look() -> Result<Everything, Fault> {
    let all = ListQuery { limit: Some(200), ..ListQuery::default() };
    let namespaces = api::namespace::list(all.clone()).await?.items;
    let mut places = Vec::new();
    for namespace in namespaces.into_iter().take(LOOKS_INTO) {
        let name = namespace.meta.name.to_string();
        // What may not be read here is simply not part of what needs this person.
        let agents = api::agent::list(name.clone(), all.clone()).await.map(|page| page.items).unwrap_or_default();
        let secrets = api::secret::list(name, all.clone()).await.map(|page| page.items).unwrap_or_default();
        places.push(Place { namespace, agents, secrets });
    }
    Ok(Everything { places })
}

/// The page.
#[component]
pub fn Home() -> impl IntoView {
    let changes = use_live().watch_kinds(&[
        ResourceKind::Namespace,
        ResourceKind::Agent,
        ResourceKind::Deployment,
        ResourceKind::Secret,
    ]);
    let everything = read(move || changes.get(), |_| look());
    view! {
        <PageHead title="Home" sub=|| view! { <span>"What needs you"</span> } />
        {shown(everything, |everything| view! { <Found everything /> })}
    }
}

#[component]
fn Found(everything: Signal<Everything>) -> impl IntoView {
    let nowhere = move || everything.with(|all| all.places.is_empty());
    view! {
        <Show
            when=move || !nowhere()
            fallback=|| {
                view! {
                    <section class="card">
                        <Empty
                            icon=Icon::Stack
                            title="Begin with a Namespace"
                            text="It holds your Configurations, Secrets and Agents, apart from everybody else's."
                        >
                            <LinkButton href=paths::NAMESPACE_NEW kind=Kind::Primary>
                                "New Namespace"
                            </LinkButton>
                        </Empty>
                    </section>
                }
            }
        >
            <div class="stack">
                <Attention everything />
                <Namespaces everything />
            </div>
        </Show>
    }
}

fn findings(everything: &Everything) -> Vec<Finding> {
    let mut found = Vec::new();
    for place in &everything.places {
        let space = place.namespace.meta.name.as_str();
        if place.namespace.status == NamespaceStatus::Failed {
            found.push(Finding {
                tone: Tone::Bad,
                word: "Failed",
                name: place.namespace.meta.title().to_owned(),
                text: place.namespace.status_reason.clone().unwrap_or_default(),
                href: paths::namespace(space),
                at: place.namespace.meta.updated_at,
            });
        }
        for agent in &place.agents {
            let standing = standing(agent);
            if standing.attention {
                found.push(Finding {
                    tone: standing.tone,
                    word: standing.word,
                    name: agent.meta.title().to_owned(),
                    text: standing.remark.unwrap_or_default(),
                    href: paths::agent(space, agent.meta.name.as_str()),
                    at: agent.health.changed_at.max(agent.meta.updated_at),
                });
            }
        }
        for secret in &place.secrets {
            let stale = secret.consumers.iter().filter(|consumer| consumer.stale).count();
            if stale > 0 {
                found.push(Finding {
                    tone: Tone::Warn,
                    word: "Secret is newer",
                    name: secret.meta.title().to_owned(),
                    text: format!("{} still on an older value; deploy to renew it", count(stale, "Agent", "Agents")),
                    href: paths::secret(space, secret.meta.name.as_str()),
                    at: secret.value_set_at,
                });
            }
        }
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.at));
    found
}

#[component]
fn Attention(everything: Signal<Everything>) -> impl IntoView {
    let rows = move || {
        let found = everything.with(findings);
        if found.is_empty() {
            return view! {
                <Empty
                    icon=Icon::Check
                    title="Nothing needs you"
                    text="Every Agent that should serve serves, on current values."
                />
            }
            .into_any();
        }
        let rows = found.into_iter().map(|finding| {
            view! {
                <tr>
                    <td>
                        <a class="name" href=finding.href>
                            {finding.name}
                        </a>
                    </td>
                    <td>
                        <Pill tone=finding.tone text=finding.word dot=true />
                        <small>{finding.text}</small>
                    </td>
                    <td class="right muted">
                        <Ago at=finding.at.to_offset() />
                    </td>
                </tr>
            }
        });
        view! {
            <Table
                label="Needs attention"
                columns=vec![Column::new("What"), Column::new("State"), Column::right("Since")]
            >
                {rows.collect_view()}
            </Table>
        }
        .into_any()
    };
    view! {
        <Card title="Needs attention" flush=true>
            {rows}
        </Card>
    }
}

#[component]
fn Namespaces(everything: Signal<Everything>) -> impl IntoView {
    let rows = move || {
        everything
            .get()
            .places
            .into_iter()
            .map(|place| {
                let (tone, word) = namespace_status(place.namespace.status);
                let serving = place.agents.iter().filter(|agent| standing(agent).tone == Tone::Ok).count();
                let name = place.namespace.meta.name.to_string();
                view! {
                    <tr>
                        <td>
                            <a class="name" href=paths::agents(&name)>
                                {place.namespace.meta.title().to_owned()}
                            </a>
                        </td>
                        <td>
                            <Pill tone text=word dot=true />
                        </td>
                        <td class="right muted">
                            {format!("{}, {serving} serving", count(place.agents.len(), "Agent", "Agents"))}
                        </td>
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <Card title="Namespaces" flush=true>
            <Table label="Namespaces" columns=vec![Column::new("Name"), Column::new("State"), Column::right("Agents")]>
                {rows}
            </Table>
        </Card>
    }
}
