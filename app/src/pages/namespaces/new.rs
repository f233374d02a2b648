//! Creating a Namespace.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::name::Name;
use occ_model::namespace::{CreateNamespace, Quotas};

use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::texts::{Said, TextFields, Texts, Wrong, broken, field_errors};
use crate::parts::{Card, Form, LinkButton, PageHead, Submit, TextInput, TextKind};
use crate::paths;

/// The page.
#[component]
pub fn NamespaceNew() -> impl IntoView {
    let name = RwSignal::new(String::new());
    let texts = Texts::new();
    let wrong = RwSignal::new(None::<Wrong>);
    let act = Act::default();
    let navigate = use_navigate();
    let submit = move |()| {
        let named = name.get_untracked().trim().parse::<Name>().map_err(|rule| broken("/name", rule));
        let (name, Said { display_name, description, labels }) = match (named, texts.read()) {
            (Ok(name), Ok(said)) => (name, said),
            (Err(broken), _) | (_, Err(broken)) => return wrong.set(Some(broken)),
        };
        wrong.set(None);
        let request = CreateNamespace { name, display_name, description, labels, quotas: Quotas::default() };
        let navigate = navigate.clone();
        act.send(
            move |key| api::namespace::create(request.clone(), key),
            move |made| navigate(&paths::namespace(made.meta.name.as_str()), leptos_router::NavigateOptions::default()),
        );
    };
    let error = field_errors(act, wrong);
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
                        error=error("/name")
                        required=true
                    />
                    <TextFields texts error />
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
