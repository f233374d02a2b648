//! Creating a Secret.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::name::{Labels, Name};
use occ_model::secret::{CreateSecret, RedactedText, Secret};

use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::params::{namespace_param, optional};
use crate::parts::{Card, Form, LinkButton, PageHead, Submit, TextInput, TextKind};
use crate::paths;

/// The page.
#[component]
pub fn SecretNew() -> impl IntoView {
    let namespace = namespace_param();
    let name = RwSignal::new(String::new());
    let description = RwSignal::new(String::new());
    let value = RwSignal::new(String::new());
    let wrong_name = RwSignal::new(None);
    let wrong_value = RwSignal::new(None);
    let act = Act::default();
    let navigate = use_navigate();
    let submit = move |()| {
        let parsed = name.get_untracked().trim().parse::<Name>();
        wrong_name.set(parsed.as_ref().err().map(|rule| format!("It {rule}.")));
        let empty = value.with_untracked(String::is_empty);
        wrong_value.set(empty.then(|| "Type or paste the value.".to_owned()));
        let (Ok(name), Ok(description), false) = (parsed, optional(&description.get_untracked()), empty) else {
            return;
        };
        let request = CreateSecret {
            name,
            display_name: None,
            description,
            labels: Labels::default(),
            value: Some(RedactedText(value.get_untracked())),
            value_base64: None,
        };
        let (space, navigate) = (namespace.get_untracked(), navigate.clone());
        let back = space.clone();
        act.send(
            move |key| api::secret::create(space.clone(), request.clone(), key),
            move |made: Secret| {
                let to = paths::secret(&back, made.meta.name.as_str());
                navigate(&to, leptos_router::NavigateOptions::default());
            },
        );
    };
    view! {
        <PageHead title="New Secret" />
        <div class="stack">
            <Outcome act />
            <Card title="Secret">
                <Form on_submit=submit>
                    <TextInput
                        id="name"
                        label="Name"
                        kind=TextKind::Name
                        value=name
                        example="openai-key"
                        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
                        error=Signal::derive(move || wrong_name.get().or_else(|| act.error_at("/name").get()))
                        required=true
                    />
                    <TextInput
                        id="description"
                        label="Description"
                        value=description
                        hint="Optional."
                        error=act.error_at("/description")
                    />
                    <TextInput
                        id="value"
                        label="Value"
                        kind=TextKind::Secret
                        value=value
                        hint="Never shown again, in no log and in no answer."
                        error=Signal::derive(move || wrong_value.get().or_else(|| act.error_at("/value").get()))
                        required=true
                    />
                    <div class="acts">
                        <Submit busy=act.busy() blocked=act.blocked()>
                            "Create the Secret"
                        </Submit>
                        <LinkButton href=Signal::derive(move || paths::secrets(&namespace.get()))>"Cancel"</LinkButton>
                    </div>
                </Form>
            </Card>
        </div>
    }
}
