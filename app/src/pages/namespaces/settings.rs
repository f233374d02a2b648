//! Changing a Namespace: what people call it, and how much may be in it.

use leptos::prelude::*;
use occ_model::namespace::{Namespace, Quotas};
use occ_model::operation::{Action, Kind as ResourceKind};
use serde_json::json;

use crate::act::{Act, Outcome};
use crate::allowed::Allowed;
use crate::api;
use crate::pages::params::filled;
use crate::pages::texts::{Newer, TextFields, Texts, Wrong, field_errors};
use crate::parts::{Card, Form, Submit, TextInput, TextKind, Tone, use_toasts};

/// A bound: its field's id, its label, its pointer, where it stands in the quotas.
type Bound = (&'static str, &'static str, &'static str, fn(&mut Quotas) -> &mut Option<u32>);

const BOUNDS: [Bound; 4] = [
    ("quota-agents", "Agents", "/quotas/agents", |q| &mut q.agents),
    ("quota-running", "Running Agents", "/quotas/runningAgents", |q| &mut q.running_agents),
    ("quota-configurations", "Configurations", "/quotas/configurations", |q| &mut q.configurations),
    ("quota-secrets", "Secrets", "/quotas/secrets", |q| &mut q.secrets),
];

/// The fields, as text.
#[derive(Clone, Copy)]
struct Fields {
    texts: Texts,
    bounds: [RwSignal<String>; 4],
}

impl Fields {
    fn of(namespace: &Namespace) -> Self {
        let fields = Self { texts: Texts::new(), bounds: BOUNDS.map(|_| RwSignal::default()) };
        fields.take(namespace);
        fields
    }

    fn take(self, namespace: &Namespace) {
        self.texts.take(&namespace.meta);
        let mut quotas = namespace.quotas.clone();
        for ((.., of), field) in BOUNDS.into_iter().zip(self.bounds) {
            field.set(of(&mut quotas).map(|most| most.to_string()).unwrap_or_default());
        }
    }

    fn quotas(self) -> Result<Quotas, Wrong> {
        let mut quotas = Quotas::default();
        for ((_, _, pointer, of), field) in BOUNDS.into_iter().zip(self.bounds) {
            *of(&mut quotas) = filled(&field.get_untracked())
                .map(|text| text.parse())
                .transpose()
                .map_err(|_| (pointer, "Give a whole number, or leave it empty.".to_owned()))?;
        }
        Ok(quotas)
    }
}

/// The form.
#[component]
pub(super) fn Settings(namespace: Signal<Namespace>, may: Allowed) -> impl IntoView {
    let base = RwSignal::new(namespace.get_untracked());
    let fields = Fields::of(&base.get_untracked());
    let wrong = RwSignal::new(None::<Wrong>);
    let act = Act::default();
    let toasts = use_toasts();
    let newer = Memo::new(move |_| namespace.with(|n| n.meta.generation) > base.with(|n| n.meta.generation));
    let take = move |()| {
        let latest = namespace.get_untracked();
        fields.take(&latest);
        base.set(latest);
        act.forget();
    };
    let save = move |()| {
        let (said, quotas) = match (fields.texts.read(), fields.quotas()) {
            (Ok(said), Ok(quotas)) => (said, quotas),
            (Err(broken), _) | (_, Err(broken)) => return wrong.set(Some(broken)),
        };
        wrong.set(None);
        let (name, generation, mut patch) =
            base.with_untracked(|n| (n.meta.name.to_string(), n.meta.generation, said.patch(&n.meta.labels)));
        patch["quotas"] = json!(quotas);
        act.send(
            move |key| api::namespace::update(name.clone(), patch.clone(), generation, key),
            move |saved: Namespace| {
                base.set(saved);
                toasts.say(Tone::Ok, "Saved.");
            },
        );
    };
    let error = field_errors(act, wrong);
    let blocked = Signal::derive(move || {
        act.blocked().get().or_else(|| may.missing(Action::Update, ResourceKind::Namespace).get())
    });
    let bounds = BOUNDS.into_iter().zip(fields.bounds).map(move |((id, label, pointer, _), value)| {
        view! { <TextInput id=id label=label kind=TextKind::Name value=value error=error(pointer) /> }
    });
    view! {
        <Card title="Settings">
            <Newer newer what="Namespace" take />
            <Outcome act />
            <Form on_submit=save>
                <TextFields texts=fields.texts error />
                <fieldset class="field">
                    <legend>"At most"</legend>
                    <p class="hint">"Empty: what the Installation sets for every Namespace."</p>
                    <div class="pairs">{bounds.collect_view()}</div>
                </fieldset>
                <div class="acts">
                    <Transition>
                        <Submit busy=act.busy() blocked>
                            "Save"
                        </Submit>
                    </Transition>
                </div>
            </Form>
        </Card>
    }
}
