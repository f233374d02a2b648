//! The console: pages, parts and server functions, rendered on the server and brought to life in the browser.
//!
//! Invariants: every page can be read before hydration and without WASM (pages are rendered whole, `SsrMode::Async`); names
//! and foreign content are text; the page holds no authority, the server decides each act again; server code is reached
//! only through the `ssr` feature's optional dependencies.

mod clock;
#[cfg(feature = "ssr")]
mod csp;
mod frame;
mod hydrated;
mod live;
mod pages;
pub mod parts;
mod paths;
mod place;
mod preferences;
pub mod words;

use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::frame::{Frame, Viewer};
use crate::pages::{Gallery, NotFound};

/// The document around the console; writes the Content-Security-Policy of the response it belongs to.
#[must_use]
pub fn shell(options: LeptosOptions) -> impl IntoView {
    #[cfg(feature = "ssr")]
    csp::set_header();
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=preferences::theme().value()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="referrer" content="same-origin" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <HashedStylesheet id="console" options=options.clone() />
                <AutoReload options=options.clone() />
                <HydrationScripts options />
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// The console.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    preferences::provide_preferences();
    hydrated::provide_hydrated();
    clock::provide_now();
    parts::provide_toasts();
    let viewer = Signal::stored(None::<Viewer>);
    live::provide_live(Signal::derive(move || viewer.with(Option::is_some)));
    view! {
        <Router>
            <Routes fallback=NotFound>
                <ParentRoute path=path!("/console") view=move || view! { <Frame viewer /> } ssr=SsrMode::Async>
                    <Route path=path!("gallery") view=Gallery ssr=SsrMode::Async />
                    <Route path=path!("*any") view=NotFound ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
