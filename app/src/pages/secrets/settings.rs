//! Changing what people call a Secret.

use leptos::prelude::*;
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::secret::Secret;

use crate::act::{Act, Outcome};
use crate::allowed::Allowed;
use crate::api;
use crate::pages::texts::{Newer, TextFields, Texts, Wrong, field_errors};
use crate::parts::{Card, Form, Submit, Tone, use_toasts};

/// The form.
#[component]
pub(super) fn Settings(
    namespace: Memo<String>,
    secret: Signal<Secret>,
    may: Allowed,
    again: Callback<()>,
) -> impl IntoView {
    let base = RwSignal::new(secret.get_untracked().meta);
    let texts = Texts::of(&base.get_untracked());
    let wrong = RwSignal::new(None::<Wrong>);
    let act = Act::default();
    let toasts = use_toasts();
    // A new value is a change too, but none of these fields.
    let newer = Memo::new(move |_| {
        let saved = secret.with(|s| s.meta.clone());
        base.with(|base| {
            saved.generation > base.generation
                && (&saved.display_name, &saved.description, &saved.labels)
                    != (&base.display_name, &base.description, &base.labels)
        })
    });
    let take = move |()| {
        let latest = secret.get_untracked().meta;
        texts.take(&latest);
        base.set(latest);
        act.forget();
    };
    let save = move |()| {
        let said = match texts.read() {
            Ok(said) => said,
            Err(broken) => return wrong.set(Some(broken)),
        };
        wrong.set(None);
        let patch = base.with_untracked(|base| said.patch(&base.labels));
        let (name, generation) = secret.with_untracked(|s| (s.meta.name.to_string(), s.meta.generation));
        let space = namespace.get_untracked();
        act.send(
            move |key| api::secret::update(space.clone(), name.clone(), patch.clone(), generation, key),
            move |saved: Secret| {
                base.set(saved.meta);
                toasts.say(Tone::Ok, "Saved.");
                again.run(());
            },
        );
    };
    let error = field_errors(act, wrong);
    let missing = may.missing(Action::Update, ResourceKind::Secret);
    let blocked = Signal::derive(move || {
        let first = newer.get().then(|| "First take what is saved.".to_owned());
        act.blocked().get().or_else(|| missing.get()).or(first)
    });
    view! {
        <Card title="Settings">
            <Newer newer what="Secret" take />
            <Outcome act />
            <Form on_submit=save>
                <TextFields texts error />
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
