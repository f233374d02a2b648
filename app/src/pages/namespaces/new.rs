//! Creating a Namespace.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::name::{Labels, Name};
use occ_model::namespace::{CreateNamespace, Quotas};

use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::params::optional;
use crate::parts::{Card, Form, LinkButton, PageHead, Submit, TextArea, TextInput, TextKind};
use crate::paths;

/// The page.
#[component]
pub fn NamespaceNew() -> impl IntoView {
    let name = RwSignal::new(String::new());
    let display = RwSignal::new(String::new());
    let description = RwSignal::new(String::new());
    let wrong = RwSignal::new((None, None, None));
    let act = Act::default();
    let navigate = use_navigate();
    let submit = move |()| {
        let read = (
            name.get_untracked().trim().parse::<Name>(),
            optional(&display.get_untracked()),
            optional(&description.get_untracked()),
        );
        let (Ok(name), Ok(display_name), Ok(description)) = read.clone() else {
            wrong.set((rule(read.0), rule(read.1), rule(read.2)));
            return;
        };
        wrong.set((None, None, None));
        let request =
            CreateNamespace { name, display_name, description, labels: Labels::default(), quotas: Quotas::default() };
        let navigate = navigate.clone();
        act.send(
            move |key| api::namespace::create(request.clone(), key),
            move |made| navigate(&paths::namespace(made.meta.name.as_str()), leptos_router::NavigateOptions::default()),
        );
    };
    let own = move |own: Option<String>, pointer| own.or_else(|| act.error_at(pointer).get());
    view! {
        <PageHead title="New Namespace" />
        <div class="stack">
            <Outcome act />
            <Card title="Namespace">
                <Form on_submit=submit>
                    <TextInput
                        id="name"
                        label="Name"
                        kind=TextKind::Name
                        value=name
                        example="research"
                        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
                        error=Signal::derive(move || own(wrong.get().0, "/name"))
                        required=true
                    />
                    <TextInput
                        id="displayName"
                        label="Name for people"
                        value=display
                        hint="Optional."
                        error=Signal::derive(move || own(wrong.get().1, "/displayName"))
                    />
                    <TextArea
                        id="description"
                        label="Description"
                        value=description
                        rows=2
                        hint="Optional."
                        error=Signal::derive(move || own(wrong.get().2, "/description"))
                    />
                    <div class="acts">
                        <Submit busy=act.busy() blocked=act.blocked()>
                            "Create the Namespace"
                        </Submit>
                        <LinkButton href=paths::NAMESPACES>"Cancel"</LinkButton>
                    </div>
                </Form>
            </Card>
        </div>
    }
}

/// The rule that a text breaks, as a sentence for its field.
fn rule<T, E: std::fmt::Display>(read: Result<T, E>) -> Option<String> {
    read.err().map(|error| format!("It {error}."))
}
