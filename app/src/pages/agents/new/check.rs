//! "Check": does the provider take this key? Nothing is saved. What models it lists is offered for the model's name.

use leptos::prelude::*;
use occ_model::agent::CredentialCheck;
use occ_model::deployment::CredentialProof;

use super::fields::{Fields, Wrong};
use crate::act::{Act, Outcome};
use crate::api;
use crate::parts::{Button, Note, TextInput, TextKind, Tone};

#[component]
pub(super) fn CheckKey(namespace: Memo<String>, fields: Fields, wrong: RwSignal<Option<Wrong>>) -> impl IntoView {
    let act = Act::default();
    let answer = RwSignal::new(None::<CredentialCheck>);
    // An answer belongs to what was asked: it goes when that changes.
    Effect::new(move |before: Option<()>| {
        fields.provider.track();
        fields.base_url.track();
        fields.secret.track();
        fields.key.track();
        fields.mode.track();
        if before.is_some() {
            answer.set(None);
        }
    });
    let check = move |()| match fields.check() {
        Err(problem) => wrong.set(Some(problem)),
        Ok(request) => {
            wrong.set(None);
            answer.set(None);
            let namespace = namespace.get_untracked();
            act.send(
                move |_| api::credential::check(namespace.clone(), request.clone()),
                move |found| answer.set(Some(found)),
            );
        }
    };
    let models = move || answer.get().map(|answer| answer.models).unwrap_or_default();
    let error = Signal::derive(move || wrong.get().filter(|(name, _)| *name == "model").map(|(_, text)| text));
    view! {
        <div>
            <Button busy=act.busy() on_press=check>
                "Check the key"
            </Button>
        </div>
        <Outcome act means="Checking saves nothing." />
        {move || answer.get().map(verdict)}
        <TextInput
            id="model"
            label="Model"
            kind=TextKind::Name
            value=fields.model
            list="models"
            hint="As the provider names it. After a check, those that it lists are offered."
            error=error
            required=true
        />
        <datalist id="models">
            {move || models().into_iter().map(|model| view! { <option value=model></option> }).collect_view()}
        </datalist>
    }
}

fn verdict(answer: CredentialCheck) -> AnyView {
    if let Some(failure) = answer.failure {
        return view! { <Note tone=Tone::Bad what=failure.what() next="Correct the key or the address, then check again." /> }
            .into_any();
    }
    match answer.proof {
        CredentialProof::Proven => {
            let models = answer.models.len();
            view! { <Note tone=Tone::Ok what="The provider takes this key." means=format!("It lists {models} models.") /> }
                .into_any()
        }
        CredentialProof::Unproven | CredentialProof::NotNeeded => view! {
            <Note
                tone=Tone::Warn
                what="The provider cannot say whether the key is good."
                next="A deployment still works where this Installation accepts that."
            />
        }
        .into_any(),
    }
}
