//! A Namespace's Agents: which of mine are well? Filter and order are in the address.

use leptos::prelude::*;
use occ_model::agent::{Agent, ExecutionMode};
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::page::{ListQuery, Page};

use crate::allowed::allowed;
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::filter::NameFilter;
use crate::pages::paging::{More, cursor};
use crate::pages::params::{filled, namespace_param, query};
use crate::parts::{Ago, Column, Empty, Icon, Kind, LinkButton, PageHead, Pill, Sort, Table, Tone};
use crate::paths;
use crate::show::{Standing, standing};
use crate::words::count;

/// One page shows so many, so that the chips count all of a usual Namespace.
const LIMIT: u16 = 200;

/// The page.
#[component]
pub fn AgentList() -> impl IntoView {
    let namespace = namespace_param();
    let changes = use_live().watch_kinds(&[ResourceKind::Agent, ResourceKind::Deployment]);
    let (cursor, name, sort) = (cursor(), query("name"), query("sort"));
    let state = query("state");
    let may = allowed(move || format!("namespaces/{}", namespace.get()));
    let page = read(
        move || (namespace.get(), cursor.get(), filled(&name.get()), filled(&sort.get()), changes.get()),
        |(namespace, cursor, name, sort, _)| {
            let query = ListQuery { limit: Some(LIMIT), cursor, name, sort, ..ListQuery::default() };
            api::agent::list(namespace, query)
        },
    );
    let new = Signal::derive(move || paths::agent_new(&namespace.get()));
    let actions = move || {
        let missing = may.missing(Action::Create, ResourceKind::Agent);
        view! {
            <Transition>
                <Show when=move || missing.get().is_none()>
                    <LinkButton href=new kind=Kind::Primary icon=Icon::Plus>
                        "New Agent"
                    </LinkButton>
                </Show>
            </Transition>
        }
    };
    let sub = move || {
        view! { <Transition>{move || page.get().and_then(Result::ok).map(|page| summary(&page))}</Transition> }
    };
    view! {
        <PageHead title="Agents" sub actions />
        <section class="card">
            <NameFilter label="Filter by name">
                <Chips state />
            </NameFilter>
            {shown(page, move |page| view! { <Rows namespace page state sort new /> })}
        </section>
    }
}

fn summary(page: &Page<Agent>) -> impl IntoView + use<> {
    let standings: Vec<_> = page.items.iter().map(standing).collect();
    let of = |test: fn(&Standing) -> bool| standings.iter().filter(|standing| test(standing)).count();
    let parts = [
        Some(count(standings.len(), "Agent", "Agents")),
        Some(format!("{} serving", of(|s| s.word == "Serving"))),
        Some(of(|s| s.tone == Tone::Info)).filter(|n| *n > 0).map(|n| format!("{n} in progress")),
        Some(of(|s| s.attention)).filter(|n| *n > 0).map(|n| count(n, "needs attention", "need attention")),
    ];
    parts.into_iter().flatten().map(|part| view! { <span>{part}</span> }).collect_view()
}

/// Filters by state, as links: they work without WASM and can be shared.
#[component]
fn Chips(state: Memo<String>) -> impl IntoView {
    const STATES: [(&str, &str); 4] =
        [("", "All"), ("attention", "Needs attention"), ("serving", "Serving"), ("stopped", "Stopped and drafts")];
    STATES.map(|(value, label)| {
        let href = if value.is_empty() { "?".to_owned() } else { format!("?state={value}") };
        view! {
            <a class="chip" href=href aria-current=move || (state.get() == value).then_some("true")>
                {label}
            </a>
        }
    })
}

fn passes(standing: &Standing, state: &str) -> bool {
    match state {
        "attention" => standing.attention,
        "serving" => standing.word == "Serving",
        "stopped" => standing.tone == Tone::Idle,
        _ => true,
    }
}

#[component]
fn Rows(
    namespace: Memo<String>,
    page: Signal<Page<Agent>>,
    state: Memo<String>,
    sort: Memo<String>,
    new: Signal<String>,
) -> impl IntoView {
    let kept = Memo::new(move |_| {
        let state = state.get();
        let all = page.get().items.into_iter().map(|agent| (standing(&agent), agent));
        all.filter(|(standing, _)| passes(standing, &state)).collect::<Vec<_>>()
    });
    let table = move || {
        let sorted = sort.get();
        let by_name = if sorted == "-name" { Sort::Down } else { Sort::Up };
        let by_time = match sorted.as_str() {
            "createdAt" => Some(Sort::Up),
            "-createdAt" => Some(Sort::Down),
            _ => None,
        };
        let name_href = if sorted.is_empty() || sorted == "name" { "?sort=-name" } else { "?sort=name" };
        let time_href = if by_time == Some(Sort::Down) { "?sort=createdAt" } else { "?sort=-createdAt" };
        let columns = vec![
            Column::new("Name").sorts(name_href.to_owned(), by_time.is_none().then_some(by_name)),
            Column::new("State"),
            Column::wide("Revision"),
            Column::wide("Mode"),
            Column::wide("Created").sorts(time_href.to_owned(), by_time),
            Column::right("Changed"),
        ];
        view! {
            <Table label="Agents" columns>
                {move || {
                    kept.get()
                        .into_iter()
                        .map(|(standing, agent)| row(&namespace.get(), standing, agent))
                        .collect_view()
                }}
            </Table>
        }
    };
    let nothing = move || {
        if page.with(|page| page.items.is_empty()) {
            view! {
                <Empty
                    icon=Icon::Agent
                    title="No Agents here"
                    text="An Agent is a definition that is deployed as its own gateway. Make one in three steps: provider, key, model."
                >
                    <LinkButton href=new kind=Kind::Primary>
                        "New Agent"
                    </LinkButton>
                </Empty>
            }
            .into_any()
        } else {
            view! { <Empty icon=Icon::Search title="None of them" text="No Agent is in that state now." /> }.into_any()
        }
    };
    view! {
        <Show when=move || !kept.with(Vec::is_empty) fallback=nothing>
            {table()}
        </Show>
        <More next=Signal::derive(move || page.with(|page| page.next_cursor.clone())) />
    }
}

fn row(namespace: &str, standing: Standing, agent: Agent) -> impl IntoView + use<> {
    let deployment = agent.deployment.as_ref().filter(|deployment| deployment.phase.in_progress());
    let active = agent.active_revision.as_ref().map(|revision| revision.number.to_string());
    let coming = deployment.map(|deployment| format!(" → {}", deployment.revision));
    let mode = match agent.execution_mode {
        ExecutionMode::Embedded => "embedded",
        ExecutionMode::Dedicated => "dedicated",
    };
    view! {
        <tr>
            <td>
                <a class="name" href=paths::agent(namespace, agent.meta.name.as_str())>
                    {agent.meta.title().to_owned()}
                </a>
                <small>
                    {agent.meta.description.as_ref().map_or_else(|| agent.meta.name.to_string(), ToString::to_string)}
                </small>
            </td>
            <td>
                <span class="row">
                    <Pill tone=standing.tone text=standing.word dot=true />
                    {(agent.drift && standing.tone == Tone::Ok)
                        .then(|| view! { <Pill tone=Tone::Warn text="Changes not deployed" /> })}
                </span>
                {standing.remark.map(|remark| view! { <small>{remark}</small> })}
            </td>
            <td class="wide">{active.unwrap_or_else(|| "none".to_owned())} <span class="faint">{coming}</span></td>
            <td class="wide">{mode}</td>
            <td class="wide muted">
                <Ago at=agent.meta.created_at.to_offset() />
            </td>
            <td class="right muted">
                <Ago at=agent.meta.updated_at.to_offset() />
            </td>
        </tr>
    }
}
