//! The console: pages, parts and server functions, rendered on the server and brought to life in the browser.
//!
//! Invariants: every page can be read before hydration and without WASM (pages are rendered whole, `SsrMode::Async`); names
//! and foreign content are text; the page holds no authority, the server decides each act again; server code is reached
//! only through the `ssr` feature's optional dependencies.

mod act;
mod allowed;
mod api;
mod clock;
#[cfg(feature = "ssr")]
mod csp;
pub mod fault;
mod frame;
mod hydrated;
mod live;
mod load;
mod local;
mod pages;
pub mod parts;
mod paths;
mod place;
mod preferences;
mod show;
mod stream;
mod tail;
pub mod words;

use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags, provide_meta_context};
use leptos_router::components::{Outlet, ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::frame::Frame;
use crate::pages::*;

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
    live::provide_live();
    view! {
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/signin/:token") view=SignInLink ssr=SsrMode::Async />
                <Route path=path!("/console/sign-in") view=SignIn ssr=SsrMode::Async />
                <ParentRoute path=path!("/console") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("") view=Home ssr=SsrMode::Async />
                    <NamespaceRoutes />
                    <Route path=path!("operations") view=Operations ssr=SsrMode::Async />
                    <Route path=path!("account") view=Account ssr=SsrMode::Async />
                    <Route path=path!("gallery") view=Gallery ssr=SsrMode::Async />
                    <Route path=path!("*any") view=NotFound ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
}

/// Everything below `/console/namespaces`.
#[component(transparent)]
fn NamespaceRoutes() -> impl leptos_router::MatchNestedRoutes + Clone {
    view! {
        <ParentRoute path=path!("namespaces") view=Outlet ssr=SsrMode::Async>
            <Route path=path!("") view=NamespaceList ssr=SsrMode::Async />
            <Route path=path!("new") view=NamespaceNew ssr=SsrMode::Async />
            <Route path=path!(":namespace") view=NamespaceDetail ssr=SsrMode::Async />
            <Route path=path!(":namespace/configurations") view=ConfigurationList ssr=SsrMode::Async />
            <Route path=path!(":namespace/configurations/new") view=ConfigurationNew ssr=SsrMode::Async />
            <Route path=path!(":namespace/configurations/:configuration") view=ConfigurationEdit ssr=SsrMode::Async />
            <Route
                path=path!(":namespace/configurations/:configuration/generations")
                view=ConfigurationHistory
                ssr=SsrMode::Async
            />
            <Route path=path!(":namespace/secrets") view=SecretList ssr=SsrMode::Async />
            <Route path=path!(":namespace/secrets/new") view=SecretNew ssr=SsrMode::Async />
            <Route path=path!(":namespace/secrets/:secret") view=SecretDetail ssr=SsrMode::Async />
            <Route path=path!(":namespace/agents") view=AgentList ssr=SsrMode::Async />
            <Route path=path!(":namespace/agents/new") view=AgentNew ssr=SsrMode::Async />
            <AgentRoutes />
        </ParentRoute>
    }
    .into_inner()
}

/// One Agent's tabs.
#[component(transparent)]
fn AgentRoutes() -> impl leptos_router::MatchNestedRoutes + Clone {
    view! {
        <ParentRoute path=path!(":namespace/agents/:agent") view=AgentFrame ssr=SsrMode::Async>
            <Route path=path!("") view=AgentOverview ssr=SsrMode::Async />
            <Route path=path!("deployments") view=AgentDeployments ssr=SsrMode::Async />
            <Route path=path!("deployments/:deployment") view=AgentDeployment ssr=SsrMode::Async />
            <Route path=path!("versions") view=AgentVersions ssr=SsrMode::Async />
            <Route path=path!("configuration") view=AgentConfiguration ssr=SsrMode::Async />
            <Route path=path!("logs") view=AgentLogs ssr=SsrMode::Async />
            <Route path=path!("chat") view=AgentChat ssr=SsrMode::Async />
            <Route path=path!("access") view=AgentAccess ssr=SsrMode::Async />
            <Route path=path!("settings") view=AgentSettings ssr=SsrMode::Async />
        </ParentRoute>
    }
    .into_inner()
}
