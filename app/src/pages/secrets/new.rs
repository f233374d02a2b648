//! Creating a Secret.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::name::{Labels, Name};
use occ_model::secret::{CreateSecret, RedactedText, Secret};

use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::params::{namespace_param, optional};
use crate::pages::texts::{Wrong, broken, field_errors, or_wrong};
use crate::parts::{Card, Form, LinkButton, PageHead, Submit, TextInput, TextKind};
use crate::paths;
use crate::unsaved::ask_while;

/// The page.
#[component]
pub fn SecretNew() -> impl IntoView {
    let namespace = namespace_param();
    let name = RwSignal::new(String::new());
    let description = RwSignal::new(String::new());
    let value = RwSignal::new(String::new());
    let wrong = RwSignal::new(Vec::<Wrong>::new());
    let act = Act::default();
    let navigate = use_navigate();
    ask_while(Signal::derive(move || [name, description, value].iter().any(|field| !field.with(String::is_empty))));
    let submit = move |()| {
        let mut found = Vec::new();
        let named = name.get_untracked().trim().parse::<Name>().map_err(|rule| broken("/name", rule));
        let named = or_wrong(named, &mut found);
        let described = optional(&description.get_untracked()).map_err(|rule| broken("/description", rule));
        let described = or_wrong(described, &mut found);
        if value.with_untracked(String::is_empty) {
            found.push(("/value", "Type or paste the value.".to_owned()));
        }
        let complete = found.is_empty();
        wrong.set(found);
        let (Some(name), Some(description), true) = (named, described, complete) else { return };
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
    let error = field_errors(act, wrong);
    view! {
        <PageHead title="New Secret" />
        <div class="stack">
            <Outcome act />
            <Card title="Secret">
                <Form on_submit=submit act>
                    <TextInput
                        id="name"
                        label="Name"
                        kind=TextKind::Name
                        value=name
                        example="openai-key"
                        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
                        error=error("/name")
                        required=true
                    />
                    <TextInput
                        id="description"
                        label="Description"
                        value=description
                        hint="Optional."
                        error=error("/description")
                    />
                    <TextInput
                        id="value"
                        label="Value"
                        kind=TextKind::Secret
                        value=value
                        hint="Never shown again, in no log and in no answer."
                        error=error("/value")
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
