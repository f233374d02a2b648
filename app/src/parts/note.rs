//! A banner in three parts: what happened, what it means for what is serving, what to do next with the button for it.

use leptos::prelude::*;

use super::{CopyId, Glyph, Icon, Tone};

/// The banner. It is announced when it appears.
#[component]
pub fn Note(
    /// Its colour's meaning.
    tone: Tone,
    /// What happened, one sentence.
    #[prop(into)]
    what: Signal<String>,
    /// What it means for what is serving or saved.
    #[prop(optional, into)]
    means: MaybeProp<String>,
    /// What to do next.
    #[prop(optional, into)]
    next: MaybeProp<String>,
    /// The request id to quote.
    #[prop(optional, into)]
    request_id: MaybeProp<String>,
    /// The places where something is wrong: a list.
    #[prop(optional)]
    places: Option<AnyView>,
    /// Buttons that do what comes next.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let icon = match tone {
        Tone::Ok => Icon::Check,
        Tone::Warn | Tone::Bad => Icon::Warn,
        Tone::Info | Tone::Idle => Icon::Info,
    };
    let role = if tone == Tone::Bad { "alert" } else { "status" };
    let id = move || request_id.get().map(|id| view! { <CopyId id /> });
    view! {
        <div class=format!("note {}", tone.class()) role=role>
            <Glyph icon />
            <div class="say">
                <strong>{move || what.get()}</strong>
                {move || means.get().map(|means| view! { <p>{means}</p> })}
                {move || next.get().map(|next| view! { <p>{next}</p> })}
                {places}
            </div>
            <div class="acts">{children.map(|children| children())} {id}</div>
        </div>
    }
}
