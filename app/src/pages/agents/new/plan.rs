//! The guided creation in steps: Secret, Configuration, Agent, grant, deployment.
//!
//! Invariant (law 3): what was saved stays saved and is not sent again; after a refusal only what is missing is done, with
//! what the fields say then.

use leptos::prelude::*;
use occ_model::agent::Agent;
use occ_model::configuration::Configuration;
use occ_model::deployment::DeployOutcome;
use occ_model::secret::{Secret, SecretConsumer};

use super::fields::Bundle;
use crate::act::Act;
use crate::api;
use crate::parts::{Glyph, Icon};

/// A step of the creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Secret,
    Configuration,
    Agent,
    Grant,
    Deploy,
    Done,
}

/// How far the creation is.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub act: Act,
    namespace: Memo<String>,
    /// The first step that is not done.
    stage: RwSignal<Stage>,
    /// The generation of the Agent that was made.
    generation: StoredValue<i64>,
    finished: Callback<String>,
}

impl Plan {
    pub fn new(namespace: Memo<String>, finished: Callback<String>) -> Self {
        Self {
            act: Act::default(),
            namespace,
            stage: RwSignal::new(Stage::Secret),
            generation: StoredValue::new(0),
            finished,
        }
    }

    /// Something was saved already.
    pub fn begun(self) -> bool {
        self.stage.get() > Stage::Secret
    }

    /// Does what is missing.
    pub fn go_on(self, bundle: Bundle) {
        let namespace = self.namespace.get_untracked();
        let agent = bundle.agent.name.to_string();
        match self.stage.get_untracked() {
            Stage::Secret => match bundle.secret.clone() {
                None => self.next(Stage::Configuration, bundle),
                Some(secret) => self.act.send(
                    move |key| api::secret::create(namespace.clone(), secret.clone(), key),
                    move |_: Secret| self.next(Stage::Configuration, bundle.clone()),
                ),
            },
            Stage::Configuration => {
                let configuration = bundle.configuration.clone();
                self.act.send(
                    move |key| api::configuration::create(namespace.clone(), configuration.clone(), key),
                    move |_: Configuration| self.next(Stage::Agent, bundle.clone()),
                );
            }
            Stage::Agent => {
                let request = bundle.agent.clone();
                self.act.send(
                    move |key| api::agent::create(namespace.clone(), request.clone(), key),
                    move |made: Agent| {
                        self.generation.set_value(made.meta.generation);
                        self.next(Stage::Grant, bundle.clone());
                    },
                );
            }
            Stage::Grant => {
                let secret = bundle.secret_name.to_string();
                self.act.send(
                    move |key| api::secret::grant(namespace.clone(), secret.clone(), agent.clone(), key),
                    move |_: SecretConsumer| {
                        let next = if bundle.deploy { Stage::Deploy } else { Stage::Done };
                        self.next(next, bundle.clone());
                    },
                );
            }
            Stage::Deploy => {
                let generation = self.generation.get_value();
                self.act.send(
                    move |key| api::agent::deploy(namespace.clone(), agent.clone(), generation, key),
                    move |_: DeployOutcome| self.next(Stage::Done, bundle.clone()),
                );
            }
            Stage::Done => self.finished.run(agent),
        }
    }

    fn next(self, stage: Stage, bundle: Bundle) {
        self.stage.set(stage);
        self.go_on(bundle);
    }
}

/// What is done and what is missing.
#[component]
pub(super) fn Progress(plan: Plan) -> impl IntoView {
    const STEPS: [(Stage, &str); 5] = [
        (Stage::Secret, "Key kept as a Secret"),
        (Stage::Configuration, "Configuration saved"),
        (Stage::Agent, "Agent made"),
        (Stage::Grant, "Agent may use the key"),
        (Stage::Deploy, "Deployment admitted"),
    ];
    let rows = STEPS.map(|(stage, words)| {
        let done = move || plan.stage.get() > stage;
        view! {
            <li class=move || if done() { "row tone-ok" } else { "row muted" }>
                <span class="tone-text">
                    <Show when=done fallback=|| view! { <span class="dot"></span> }>
                        <Glyph icon=Icon::Check />
                    </Show>
                </span>
                <span>{words}</span>
                <span class="sr-only">{move || if done() { ", done" } else { ", to come" }}</span>
            </li>
        }
    });
    view! {
        <ol class="stack" aria-live="polite">
            {rows.collect_view()}
        </ol>
    }
}
