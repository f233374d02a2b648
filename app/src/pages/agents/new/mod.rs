//! The guided creation of an Agent: provider, key, model. It makes Configuration, Secret and grant in one go; "Check" asks the
//! provider before anything is saved.

mod check;
mod fields;
mod plan;
mod provider;

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::agent::ExecutionMode;
use occ_model::page::ListQuery;

use crate::act::Outcome;
use crate::api;
use crate::pages::params::namespace_param;
use crate::parts::{
    Card, Check, Choice, ChoiceGroup, Form, Glyph, Icon, LinkButton, PageHead, Select, Submit, TextInput, TextKind,
};
use crate::paths;
use check::CheckKey;
use fields::{Fields, Wrong};
use plan::{Plan, Progress};
use provider::PROVIDERS;

/// The execution modes, as choices.
pub(super) fn modes() -> Vec<Choice> {
    vec![
        Choice {
            value: ExecutionMode::Embedded.as_str(),
            label: "Embedded",
            text: "OpenClaw's own Harness inside the gateway. A new revision interrupts it for some seconds."
                .to_owned(),
        },
        Choice {
            value: ExecutionMode::Dedicated.as_str(),
            label: "Dedicated",
            text:
                "Codex in a process of its own, which alone gets the key. A new revision interrupts it for some seconds, too."
                    .to_owned(),
        },
    ]
}

/// The page.
#[component]
pub fn AgentNew() -> impl IntoView {
    let namespace = namespace_param();
    let fields = Fields::new();
    let wrong = RwSignal::new(None::<Wrong>);
    let navigate = use_navigate();
    let finished = Callback::new(move |agent: String| {
        navigate(&paths::agent(&namespace.get_untracked(), &agent), leptos_router::NavigateOptions::default());
    });
    let plan = Plan::new(namespace, finished);
    let submit = move |()| match fields.read() {
        Ok(bundle) => {
            wrong.set(None);
            plan.go_on(bundle);
        }
        Err(problem) => {
            let field = problem.0;
            wrong.set(Some(problem));
            focus(field);
        }
    };
    let error = move |field: &'static str| {
        Signal::derive(move || wrong.get().filter(|(name, _)| *name == field).map(|(_, text)| text))
    };
    let act = plan.act;
    let words = move || if plan.begun() { "Go on" } else { "Create the Agent" };
    view! {
        <PageHead
            title="New Agent"
            sub=|| view! { <span>"Provider, key, model; the rest can be changed later"</span> }
        />
        <div class="cols">
            <div class="stack">
                <Outcome act means="What was saved so far stays; see the steps beside." />
                <Form label="New Agent" on_submit=submit>
                    <Card title="Agent">
                        <TextInput
                            id="name"
                            label="Name"
                            kind=TextKind::Name
                            value=fields.name
                            example="paper-reader"
                            hint="Lower-case letters, digits and hyphens. It cannot be changed later."
                            error=error("name")
                            required=true
                        />
                        <TextInput
                            id="description"
                            label="Description"
                            value=fields.description
                            hint="Optional."
                            error=error("description")
                        />
                    </Card>
                    <Card title="Model">
                        <ProviderFields fields wrong />
                        <KeyFields namespace fields wrong />
                        <CheckKey namespace fields wrong />
                        <ChoiceGroup name="mode" legend="Execution mode" value=fields.mode choices=modes() />
                    </Card>
                    <details>
                        <summary class="btn quiet s">"Names of what is made" <Glyph icon=Icon::Down /></summary>
                        <div class="form mt-3">
                            <TextInput
                                id="secret-name"
                                label="Name of the Secret"
                                kind=TextKind::Name
                                value=fields.secret_name
                                hint="The Agent's name with -key, if empty."
                                error=error("secret-name")
                            />
                            <TextInput
                                id="configuration-name"
                                label="Name of the Configuration"
                                kind=TextKind::Name
                                value=fields.configuration_name
                                hint="The Agent's name, if empty."
                                error=error("configuration-name")
                            />
                        </div>
                    </details>
                    <Check id="deploy" label="Deploy it right away" value=fields.deploy />
                    <div class="acts">
                        <Submit busy=act.busy() blocked=act.blocked()>
                            {words}
                        </Submit>
                        <LinkButton href=Signal::derive(move || paths::agents(&namespace.get()))>"Cancel"</LinkButton>
                    </div>
                </Form>
            </div>
            <aside class="stack">
                <Card title="Steps">
                    <Progress plan />
                </Card>
            </aside>
        </div>
    }
}

#[component]
fn ProviderFields(fields: Fields, wrong: RwSignal<Option<Wrong>>) -> impl IntoView {
    let options = PROVIDERS.map(|provider| (provider.id.to_owned(), provider.label.to_owned())).to_vec();
    let error = move |field: &'static str| {
        Signal::derive(move || wrong.get().filter(|(name, _)| *name == field).map(|(_, text)| text))
    };
    view! {
        <Select id="provider" label="Provider" value=fields.provider options error=error("provider") />
        <Show when=move || fields.provider().base_url.is_empty()>
            <TextInput
                id="base-url"
                label="Address of its API"
                kind=TextKind::Name
                value=fields.base_url
                example="http://127.0.0.1:18080/v1"
                error=error("base-url")
            />
        </Show>
    }
}

#[component]
fn KeyFields(namespace: Memo<String>, fields: Fields, wrong: RwSignal<Option<Wrong>>) -> impl IntoView {
    let secrets = Resource::new(
        move || namespace.get(),
        |namespace| async move {
            let query = ListQuery { limit: Some(200), ..ListQuery::default() };
            let page = api::secret::list(namespace, query).await.map(|page| page.items).unwrap_or_default();
            page.into_iter().map(|secret| secret.meta.name.to_string()).collect::<Vec<_>>()
        },
    );
    let options = Signal::derive(move || {
        let new = (String::new(), "A new key".to_owned());
        let named = |name: String| (name.clone(), format!("Secret {name}"));
        std::iter::once(new).chain(secrets.get().unwrap_or_default().into_iter().map(named)).collect::<Vec<_>>()
    });
    let error = Signal::derive(move || wrong.get().filter(|(name, _)| *name == "key").map(|(_, text)| text));
    view! {
        <Transition>
            <Select id="secret" label="Key" value=fields.secret options />
        </Transition>
        <Show when=move || fields.secret.with(String::is_empty)>
            <TextInput
                id="key"
                label="Model key"
                kind=TextKind::Secret
                value=fields.key
                hint="Kept as a Secret; never shown again."
                error=error
            />
        </Show>
    }
}

/// Brings the first wrong field into sight.
fn focus(id: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = document().get_element_by_id(id) {
            let _ = leptos::wasm_bindgen::JsCast::unchecked_ref::<web_sys::HtmlElement>(&element).focus();
        }
    });
}
