//! Around an Agent's tabs: its name, its standing, what can be done with it, the tabs. The Agent is read once here, live, and
//! shared with the tab.

use leptos::prelude::*;
use leptos_router::components::Outlet;
use occ_model::agent::Agent;
use occ_model::operation::Kind as ResourceKind;

use super::actions::Actions;
use crate::allowed::{Allowed, allowed};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::params::{namespace_param, param};
use crate::parts::{CopyId, Description, PageHead, Pill, Tab, Tabs, Tone};
use crate::paths;
use crate::show::standing;

/// The Agent that a tab is about.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// The name of its Namespace.
    pub namespace: Memo<String>,
    /// Its name.
    pub name: Memo<String>,
    /// The Agent, live.
    pub agent: Signal<Agent>,
    /// What the caller may do with it.
    pub may: Allowed,
    /// Reads it again.
    pub again: Callback<()>,
}

/// The Agent of this tab.
pub(super) fn here() -> Option<Here> {
    use_context()
}

/// The frame; the tab is its outlet.
#[component]
pub fn AgentFrame() -> impl IntoView {
    let (namespace, name) = (namespace_param(), param("agent"));
    let changes = use_live().watch_kinds(&[ResourceKind::Agent, ResourceKind::Deployment, ResourceKind::Secret]);
    let reading = read(
        move || (namespace.get(), name.get(), changes.get()),
        |(namespace, name, _)| api::agent::get(namespace, name),
    );
    let may = allowed(move || format!("namespaces/{}/agents/{}", namespace.get(), name.get()));
    shown(reading, move |agent| {
        let again = Callback::new(move |()| reading.refetch());
        let here = Here { namespace, name, agent, may, again };
        provide_context(here);
        view! {
            <Head here />
            <Outlet />
        }
    })
}

#[component]
fn Head(here: Here) -> impl IntoView {
    let standing = Memo::new(move |_| here.agent.with(standing));
    let tone = Signal::derive(move || standing.with(|s| s.tone));
    let word = Signal::derive(move || {
        let coming = here.agent.with(|agent| agent.deployment.clone()).filter(|d| d.phase.in_progress());
        let word = standing.with(|s| s.word);
        coming.map_or_else(|| word.to_owned(), |deployment| format!("{word}, revision {}", deployment.revision))
    });
    let differs = move || here.agent.with(|agent| agent.drift && agent.active_revision.is_some());
    let tabs = Signal::derive(move || {
        let (namespace, name) = (here.namespace.get(), here.name.get());
        let tab = |label, tab: &str| Tab { label, href: paths::agent_tab(&namespace, &name, tab) };
        vec![
            Tab { label: "Overview", href: paths::agent(&namespace, &name) },
            tab("Deployments", "deployments"),
            tab("Versions", "versions"),
            tab("Configuration", "configuration"),
            tab("Logs", "logs"),
            tab("Chat", "chat"),
            tab("Access", "access"),
            tab("Settings", "settings"),
        ]
    });
    view! {
        <PageHead
            title=Signal::derive(move || here.agent.with(|agent| agent.meta.title().to_owned()))
            status=move || {
                view! {
                    <Pill tone text=word dot=true />
                    <Show when=differs>
                        <Pill tone=Tone::Warn text="Changes not deployed" />
                    </Show>
                }
            }
            sub=move || {
                view! {
                    <Description text=Signal::derive(move || {
                        here.agent.with(|agent| agent.meta.description.as_ref().map(ToString::to_string))
                    }) />
                    <CopyId id=Signal::derive(move || here.agent.with(|agent| agent.id.to_string())) />
                }
            }
            actions=move || view! { <Actions here /> }
        />
        <Tabs label="Agent" tabs />
    }
}
