//! The danger zone: deleting an Agent, with what goes and what stays.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::agent::Agent;
use occ_model::operation::{Action, Kind as ResourceKind};

use super::frame::{Here, here};
use crate::act::{Act, Outcome};
use crate::api;
use crate::parts::{Ago, Button, Card, ConfirmByName, CopyId, Fact, Facts, Kind};
use crate::paths;

/// The tab.
#[component]
pub fn AgentSettings() -> impl IntoView {
    here().map(|here| {
        view! {
            <div class="stack">
                <Card title="Facts">
                    <Facts>
                        <Fact name="Name">{move || here.name.get()}</Fact>
                        <Fact name="Id">
                            <CopyId id=Signal::derive(move || here.agent.with(|agent| agent.id.to_string())) />
                        </Fact>
                        <Fact name="Generation">{move || here.agent.with(|agent| agent.meta.generation)}</Fact>
                        <Fact name="Created">
                            <Ago at=Signal::derive(move || {
                                here.agent.with(|agent| agent.meta.created_at.to_offset())
                            }) />
                        </Fact>
                        <Fact name="Changed">
                            <Ago at=Signal::derive(move || {
                                here.agent.with(|agent| agent.meta.updated_at.to_offset())
                            }) />
                        </Fact>
                    </Facts>
                </Card>
                <Delete here />
            </div>
        }
    })
}

#[component]
fn Delete(here: Here) -> impl IntoView {
    let act = Act::default();
    let asking = RwSignal::new(false);
    let navigate = use_navigate();
    let on_confirm = move |()| {
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        let (back, navigate) = (paths::agents(&namespace), navigate.clone());
        act.send(
            move |key| api::agent::delete(namespace.clone(), name.clone(), key),
            move |_: Agent| navigate(&back, leptos_router::NavigateOptions::default()),
        );
        asking.set(false);
    };
    let missing = here.may.missing(Action::Delete, ResourceKind::Agent);
    let blocked = Signal::derive(move || act.blocked().get().or_else(|| missing.get()));
    let stays = Signal::derive(move || {
        here.agent.with(|agent| {
            let key = agent.harness_auth.as_ref().and_then(|auth| auth.api_key.as_ref());
            let secret = key.map(|key| format!("Secret {key}"));
            std::iter::once(format!("Configuration {}", agent.configuration))
                .chain(secret)
                .chain(std::iter::once("Its audit events".to_owned()))
                .collect::<Vec<_>>()
        })
    });
    view! {
        <Card title="Danger zone">
            <Outcome act means="The Agent is unchanged." />
            <p class="muted">"Its doors close at once; turns that run are ended."</p>
            <div>
                <Button kind=Kind::Danger busy=act.busy() blocked on_press=move |()| asking.set(true)>
                    "Delete the Agent"
                </Button>
            </div>
        </Card>
        <ConfirmByName
            id="delete-agent"
            field="delete-agent-name"
            open=asking
            title="Delete the Agent"
            name=here.name
            goes=vec![
                "Its gateway with its state and its workspace".to_owned(),
                "Its conversations, their archives too".to_owned(),
                "Its revisions and deployments".to_owned(),
                "What its own identity may use".to_owned(),
            ]
            stays
            busy=act.busy()
            on_confirm
        />
    }
}
