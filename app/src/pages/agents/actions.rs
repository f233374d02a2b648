//! What can be done with an Agent: deploy, stop, start, restart, talk to it. One act at a time; its outcome shows here.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::agent::{Agent, DesiredState};
use occ_model::deployment::DeployOutcome;
use occ_model::operation::{Action, Kind as ResourceKind};

use super::admission::Admission;
use super::frame::Here;
use crate::act::{Act, Outcome};
use crate::api;
use crate::parts::{Button, Icon, Kind, LinkButton, Menu};
use crate::paths;

#[component]
pub(super) fn Actions(here: Here) -> impl IntoView {
    let act = Act::default();
    let navigate = use_navigate();
    let at = move || (here.namespace.get_untracked(), here.name.get_untracked());
    let show_deployment = Callback::new(move |outcome: DeployOutcome| {
        here.again.run(());
        if let DeployOutcome::Admitted(_) = outcome {
            let (namespace, name) = at();
            navigate(&paths::agent(&namespace, &name), leptos_router::NavigateOptions::default());
        }
    });
    let deploy = move |()| {
        let (namespace, name) = at();
        // Exactly the draft that is on the screen: a newer one is refused, not deployed unseen (law 7).
        let generation = here.agent.with_untracked(|agent| agent.meta.generation);
        act.send(
            move |key| api::agent::deploy(namespace.clone(), name.clone(), generation, key),
            move |outcome| show_deployment.run(outcome),
        );
    };
    let start = move |()| {
        let (namespace, name) = at();
        act.send(
            move |key| api::agent::start(namespace.clone(), name.clone(), key),
            move |outcome| show_deployment.run(outcome),
        );
    };
    let restart = move |()| {
        let (namespace, name) = at();
        act.send(
            move |key| api::agent::restart(namespace.clone(), name.clone(), key),
            move |outcome| show_deployment.run(outcome),
        );
    };
    let stop = move |()| {
        let (namespace, name) = at();
        act.send(move |key| api::agent::stop(namespace.clone(), name.clone(), key), move |_: Agent| here.again.run(()));
    };
    let deleting = move || here.agent.with(|agent| agent.deleting).then(|| "It is being deleted.".to_owned());
    let why_not = move |action| {
        let missing = here.may.missing(action, ResourceKind::Agent);
        Signal::derive(move || act.blocked().get().or_else(deleting).or_else(|| missing.get()))
    };
    let running = move || here.agent.with(|a| a.desired_state == DesiredState::Running && a.active_revision.is_some());
    let startable =
        move || here.agent.with(|a| a.desired_state == DesiredState::Stopped && a.last_serving_revision.is_some());
    let chat = Signal::derive(move || paths::agent_tab(&here.namespace.get(), &here.name.get(), "chat"));
    view! {
        <Show when=running>
            <LinkButton href=chat icon=Icon::Chat>
                "Chat"
            </LinkButton>
        </Show>
        <Admission here />
        <Show when=startable>
            <Button icon=Icon::Play busy=act.busy() blocked=why_not(Action::Deploy) on_press=start>
                "Start"
            </Button>
        </Show>
        <Button kind=Kind::Primary busy=act.busy() blocked=why_not(Action::Deploy) on_press=deploy>
            "Deploy"
        </Button>
        <Show when=running>
            <Menu label="More">
                <MenuItem label="Restart" blocked=why_not(Action::Operate) on_press=restart />
                <MenuItem label="Stop" blocked=why_not(Action::Operate) on_press=stop danger=true />
            </Menu>
        </Show>
        <div class="basis-full">
            <Outcome act means="What serves is untouched." />
        </div>
    }
}

#[component]
fn MenuItem(
    label: &'static str,
    blocked: Signal<Option<String>>,
    #[prop(into)] on_press: Callback<()>,
    #[prop(optional)] danger: bool,
) -> impl IntoView {
    let press = move |_| {
        if blocked.get_untracked().is_none() {
            on_press.run(());
        }
    };
    view! {
        <button
            type="button"
            class=if danger { "item danger" } else { "item" }
            aria-disabled=move || blocked.get().map(|_| "true")
            title=move || blocked.get()
            on:click=press
        >
            {label}
        </button>
    }
}
