//! Times: relative, with the exact one on hover, and lengths.

use leptos::prelude::*;
use time::OffsetDateTime;

use crate::clock::use_now;
use crate::words;

/// A relative time that keeps up; the exact one on hover and for machines.
#[component]
pub fn Ago(
    /// The instant.
    #[prop(into)]
    at: Signal<OffsetDateTime>,
) -> impl IntoView {
    let now = use_now();
    let said = Memo::new(move |_| words::relative(now.get(), at.get()));
    view! {
        <time datetime=move || words::rfc3339(at.get()) title=move || words::exact(at.get())>
            {move || said.get()}
        </time>
    }
}

/// How long something has taken since `from`, growing until `to` is known.
#[component]
pub fn Lasted(
    /// When it began.
    #[prop(into)]
    from: Signal<OffsetDateTime>,
    /// When it ended, once it has.
    #[prop(optional, into)]
    to: MaybeProp<OffsetDateTime>,
) -> impl IntoView {
    let now = use_now();
    let said =
        Memo::new(move |_| words::duration(words::millis_between(from.get(), to.get().unwrap_or_else(|| now.get()))));
    view! { <span>{move || said.get()}</span> }
}
