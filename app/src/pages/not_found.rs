//! There is no such page, or nothing there that this person may see: the same answer for both.

use leptos::prelude::*;

use crate::parts::{Empty, Icon, LinkButton, PageHead};
use crate::paths;

/// The page; answers 404.
#[component]
pub fn NotFound() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <PageHead title="Not found" />
        <div class="card">
            <Empty
                icon=Icon::Search
                title="There is nothing here"
                text="The address may be misspelt, or what it names is gone or not yours to see."
            >
                <LinkButton href=paths::HOME>"Home"</LinkButton>
            </Empty>
        </div>
    }
}
