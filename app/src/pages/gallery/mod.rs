//! Every part with its states on one page: what the end-to-end suite photographs, and where a part is tried out.

mod controls;
mod data;
mod pictures;
mod status;

use leptos::prelude::*;

use crate::parts::{LinkButton, PageHead};
use controls::{Buttons, Dialogs, Fields};
use data::{Documents, Lists, Panes, StepsShown};
use pictures::Pictures;
use status::{Notes, Statuses};

/// The page.
#[component]
pub fn Gallery() -> impl IntoView {
    view! {
        <PageHead
            title="Parts"
            sub=|| view! { <span>"Every part of the console with its states"</span> }
            actions=|| view! { <LinkButton href="/console">"Home"</LinkButton> }
        />
        <div class="stack">
            <Statuses />
            <Notes />
            <Buttons />
            <Fields />
            <Dialogs />
            <StepsShown />
            <Lists />
            <Documents />
            <Panes />
            <Pictures />
        </div>
    }
}
