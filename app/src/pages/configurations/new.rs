//! Creating a Configuration from a document.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::configuration::{Configuration, ConfigurationKind, CreateConfiguration};
use occ_model::name::{Labels, Name};

use super::bindings::Bindings;
use super::document::{Document, completer};
use super::edit::Problems;
use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::params::{namespace_param, optional};
use crate::parts::{Card, CodeEditor, Form, LinkButton, PageHead, Submit, TextInput, TextKind};
use crate::paths;

const FIRST: &str = r#"{
  "agents": {
    "defaults": {
      "model": { "primary": "anthropic/claude-sonnet-4-5" }
    }
  }
}
"#;

/// The page.
#[component]
pub fn ConfigurationNew() -> impl IntoView {
    let namespace = namespace_param();
    let name = RwSignal::new(String::new());
    let description = RwSignal::new(String::new());
    let document = Document::new(FIRST.to_owned());
    let bindings = RwSignal::new(Vec::new());
    document.check_while_typing(namespace, bindings.into());
    let wrong_name = RwSignal::new(None);
    let act = Act::default();
    let navigate = use_navigate();
    let submit = move |()| {
        let parsed = name.get_untracked().trim().parse::<Name>();
        wrong_name.set(parsed.as_ref().err().map(|rule| format!("It {rule}.")));
        let (Ok(name), Ok(description), Ok(values)) =
            (parsed, optional(&description.get_untracked()), document.parse())
        else {
            return;
        };
        let request = CreateConfiguration {
            name,
            display_name: None,
            description,
            labels: Labels::default(),
            kind: ConfigurationKind::Agent,
            values,
            secret_bindings: bindings.get_untracked(),
        };
        let (space, navigate) = (namespace.get_untracked(), navigate.clone());
        let back = space.clone();
        act.send(
            move |key| api::configuration::create(space.clone(), request.clone(), key),
            move |made: Configuration| {
                let to = paths::configuration(&back, made.meta.name.as_str());
                navigate(&to, leptos_router::NavigateOptions::default());
            },
        );
    };
    Effect::new(move |_| {
        if let Some(problem) = act.refusal().get() {
            document.found(problem.errors.into_iter().filter(|e| e.pointer.starts_with("/values")).collect());
        }
    });
    view! {
        <PageHead title="New Configuration" />
        <div class="stack">
            <Outcome act />
            <Problems problems=document.problems() advice=document.advice() />
            <div class="cols">
                <div class="stack">
                    <Card title="Configuration">
                        <Form on_submit=submit>
                            <TextInput
                                id="name"
                                label="Name"
                                kind=TextKind::Name
                                value=name
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
                            <div class="acts">
                                <Submit busy=act.busy() blocked=act.blocked()>
                                    "Save the Configuration"
                                </Submit>
                                <LinkButton href=Signal::derive(move || {
                                    paths::configurations(&namespace.get())
                                })>"Cancel"</LinkButton>
                            </div>
                        </Form>
                    </Card>
                    <Card title="Document" note="JSON" flush=true>
                        <CodeEditor
                            id="document"
                            label="Document"
                            text=document.text
                            marks=document.marks()
                            complete=completer(namespace)
                        />
                    </Card>
                </div>
                <aside class="stack">
                    <Bindings namespace bindings />
                </aside>
            </div>
        </div>
    }
}
