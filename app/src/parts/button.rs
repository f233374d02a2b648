//! Buttons and links that look like buttons.
//!
//! A button that its caller may not use stays focusable, says why on hover, and does nothing (law 11). A busy one ignores
//! further presses, so that a double click is one act.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::hydrated::use_hydrated;

/// How much a button asks to be pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// One of several.
    #[default]
    Plain,
    /// The one primary action of the page.
    Primary,
    /// Hardly there.
    Quiet,
    /// Destroys or interrupts something.
    Danger,
    /// Confirms a destruction.
    DangerSolid,
}

impl Kind {
    pub(super) fn class(self, small: bool) -> String {
        let kind = match self {
            Self::Plain => "",
            Self::Primary => " primary",
            Self::Quiet => " quiet",
            Self::Danger => " danger",
            Self::DangerSolid => " danger solid",
        };
        format!("btn{kind}{}", if small { " s" } else { "" })
    }
}

/// A button that does something on this page.
#[component]
pub fn Button(
    /// What happens.
    #[prop(into)]
    on_press: Callback<()>,
    /// How it looks.
    #[prop(optional)]
    kind: Kind,
    /// 26 px instead of 32.
    #[prop(optional)]
    small: bool,
    /// An icon before the words.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// The accessible name, where the button shows only an icon.
    #[prop(optional, into)]
    label: Option<String>,
    /// True while what it started is under way.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// The reason why it cannot be used now.
    #[prop(optional, into)]
    blocked: MaybeProp<String>,
    /// The words.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let hydrated = use_hydrated();
    let title = label.clone();
    let press = move |_| {
        if !busy.get_untracked() && blocked.get_untracked().is_none() {
            on_press.run(());
        }
    };
    view! {
        <button
            type="button"
            class=kind.class(small)
            aria-label=label
            aria-busy=move || busy.get().then_some("true")
            aria-disabled=move || blocked.get().map(|_| "true")
            title=move || blocked.get().or_else(|| title.clone())
            disabled=move || !hydrated.get()
            on:click=press
        >
            {icon.map(|icon| view! { <Glyph icon /> })}
            {children.map(|children| children())}
        </button>
    }
}

/// A link that looks like a button; works without WASM.
#[component]
pub fn LinkButton(
    /// Where it leads.
    #[prop(into)]
    href: Signal<String>,
    /// How it looks.
    #[prop(optional)]
    kind: Kind,
    /// 26 px instead of 32.
    #[prop(optional)]
    small: bool,
    /// An icon before the words.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// The words.
    children: Children,
) -> impl IntoView {
    view! {
        <a class=kind.class(small) href=move || href.get()>
            {icon.map(|icon| view! { <Glyph icon /> })}
            {children()}
        </a>
    }
}
