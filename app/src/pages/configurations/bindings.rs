//! Secret bindings: which Secret is delivered at which place of the document.

use leptos::prelude::*;
use occ_model::configuration::SecretBinding;
use occ_model::page::ListQuery;

use crate::api;
use crate::parts::{Button, Card, Fact, Facts, Glyph, Icon, Kind, Select, TextInput, TextKind};

/// The card: the bindings, one to remove, one to add.
#[component]
pub(super) fn Bindings(namespace: Memo<String>, bindings: RwSignal<Vec<SecretBinding>>) -> impl IntoView {
    let pointer = RwSignal::new(String::new());
    let secret = RwSignal::new(String::new());
    let secrets = Resource::new(
        move || namespace.get(),
        |namespace| async move {
            let query = ListQuery { limit: Some(200), ..ListQuery::default() };
            let page = api::secret::list(namespace, query).await.map(|page| page.items).unwrap_or_default();
            page.into_iter().map(|secret| secret.meta.name.to_string()).collect::<Vec<_>>()
        },
    );
    let options = Signal::derive(move || {
        let mut options = vec![(String::new(), "Choose a Secret".to_owned())];
        options.extend(secrets.get().unwrap_or_default().into_iter().map(|name| (name.clone(), name)));
        options
    });
    let blocked = Signal::derive(move || {
        let ready = pointer.with(|p| p.starts_with('/')) && !secret.with(String::is_empty);
        (!ready).then(|| "Say where (a pointer such as /channels/slack/token) and which Secret.".to_owned())
    });
    let add = move |()| {
        if let Ok(selector) = secret.get_untracked().parse() {
            let place = pointer.get_untracked().trim().to_owned();
            bindings.update(|all| {
                all.retain(|binding| binding.pointer != place);
                all.push(SecretBinding { pointer: place, secret: selector });
            });
            pointer.set(String::new());
        }
    };
    let remove = move |place: String| bindings.update(|all| all.retain(|binding| binding.pointer != place));
    view! {
        <Card title="Secret bindings">
            <p class="muted">"For channel tokens and the like. A model key belongs to the Agent, not here."</p>
            <Facts>
                <For
                    each=move || bindings.get()
                    key=|binding| (binding.pointer.clone(), binding.secret.to_string())
                    let:binding
                >
                    {
                        let place = binding.pointer.clone();
                        view! {
                            <Fact name=binding.pointer.clone()>
                                <span class="row">
                                    {binding.secret.to_string()}
                                    <Button
                                        kind=Kind::Quiet
                                        small=true
                                        icon=Icon::Trash
                                        label=format!("Remove the binding of {place}")
                                        on_press=move |()| remove(place.clone())
                                    />
                                </span>
                            </Fact>
                        }
                    }
                </For>
            </Facts>
            <details>
                <summary class="btn s">"Bind" <Glyph icon=Icon::Down /></summary>
                <div class="form mt-3">
                    <TextInput
                        id="binding-pointer"
                        label="Place"
                        kind=TextKind::Name
                        value=pointer
                        example="/channels/slack/token"
                    />
                    <Transition>
                        <Select id="binding-secret" label="Secret" value=secret options />
                    </Transition>
                    <div>
                        <Button small=true blocked on_press=add>
                            "Add the binding"
                        </Button>
                    </div>
                </div>
            </details>
        </Card>
    }
}
