//! The question before something is destroyed: what exactly goes, what stays, and the name to type (law 10).

use leptos::prelude::*;

use super::{Button, Dialog, Form, Submit, TextInput, TextKind};

/// The question. `on_confirm` runs only when the name was typed exactly.
#[component]
pub fn ConfirmByName(
    /// The dialog's element id, unique on the page.
    id: &'static str,
    /// The name field's element id, unique on the page.
    field: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// The heading and the button's words: "Delete the Agent".
    #[prop(into)]
    title: String,
    /// The name to type.
    #[prop(into)]
    name: Signal<String>,
    /// What goes.
    #[prop(into)]
    goes: Signal<Vec<String>>,
    /// What stays.
    #[prop(into)]
    stays: Signal<Vec<String>>,
    /// True while it is under way.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// What it does.
    #[prop(into)]
    on_confirm: Callback<()>,
) -> impl IntoView {
    let heading = title.clone();
    view! {
        <Dialog id open title=heading>
            {
                let title = title.clone();
                let typed = RwSignal::new(String::new());
                let wrong = move || (typed.get() != name.get()).then(|| format!("Type {} to go on.", name.get()));
                let confirm = move || {
                    if typed.get_untracked() == name.get_untracked() {
                        on_confirm.run(());
                    }
                };
                view! {
                    <p>"This goes:"</p>
                    <ul class="list-disc pl-5">{move || lines(goes.get())}</ul>
                    <p>"This stays:"</p>
                    <ul class="list-disc pl-5">{move || lines(stays.get())}</ul>
                    <Form on_submit=move |()| confirm()>
                        <TextInput
                            id=field
                            label="Name, to be sure"
                            kind=TextKind::Name
                            value=typed
                            hint=Signal::derive(move || format!("Type {}.", name.get()))
                        />
                        <div class="acts">
                            <Button on_press=move |()| open.set(false)>"Keep it"</Button>
                            <Submit danger=true busy blocked=Signal::derive(wrong)>
                                {title}
                            </Submit>
                        </div>
                    </Form>
                }
            }
        </Dialog>
    }
}

fn lines(items: Vec<String>) -> impl IntoView {
    items.into_iter().map(|item| view! { <li>{item}</li> }).collect_view()
}
