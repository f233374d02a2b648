//! Showing what was read: loading, shown, denied, failed; and keeping it while it is read again.
//!
//! Invariants: a late answer never overwrites a newer one (the resource drops it); reading again keeps the page's own state
//! (open menus, half-typed forms), since the view is built once and only its signal changes; a passing failure while
//! something is shown leaves it shown (law 1, law 4).

use std::future::Future;

use leptos::prelude::*;
use occ_model::problem::Code;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fault::Fault;
use crate::parts::{Button, Denied, Empty, Failed, Icon, Kind, LinkButton, Loading};
use crate::paths;

/// What pages read: a resource that the server fills before it answers.
pub type Reading<T> = Resource<Result<T, Fault>>;

/// What can be read: it travels with the page, and is compared to see whether it changed.
pub trait Readable: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static> Readable for T {}

/// Reads by `fetch` whenever `source` changes.
pub fn read<S, T, F>(
    source: impl Fn() -> S + Send + Sync + 'static,
    fetch: impl Fn(S) -> F + Send + Sync + 'static,
) -> Reading<T>
where
    S: PartialEq + Clone + Send + Sync + 'static,
    T: Readable,
    F: Future<Output = Result<T, Fault>> + Send + 'static,
{
    Resource::new_blocking(source, fetch)
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Waiting,
    Shown,
    Fault(Fault),
}

/// Shows `reading` by `view`, which is built once and follows its signal.
pub fn shown<T, V>(reading: Reading<T>, view: impl Fn(Signal<T>) -> V + Clone + Send + Sync + 'static) -> impl IntoView
where
    T: Readable,
    V: IntoView + 'static,
{
    shown_or(reading, view, move |fault| picture(&fault, move || reading.refetch()))
}

/// Shows `reading` by `view` as long as the caller may see it: a denied or absent optional panel hides only itself (law 8).
pub fn shown_if_allowed<T, V>(
    reading: Reading<T>,
    view: impl Fn(Signal<T>) -> V + Clone + Send + Sync + 'static,
) -> impl IntoView
where
    T: Readable,
    V: IntoView + 'static,
{
    shown_or(reading, view, move |fault| match fault.code() {
        Some(Code::Forbidden | Code::NotFound | Code::NotSupported) => ().into_any(),
        _ => picture(&fault, move || reading.refetch()),
    })
}

fn shown_or<T, V>(
    reading: Reading<T>,
    view: impl Fn(Signal<T>) -> V + Clone + Send + Sync + 'static,
    otherwise: impl Fn(Fault) -> AnyView + Clone + Send + Sync + 'static,
) -> impl IntoView
where
    T: Readable,
    V: IntoView + 'static,
{
    view! {
        <Transition fallback=|| {
            view! { <Loading /> }
        }>
            {
                let shape = Memo::new(move |before: Option<&Shape>| match reading.get() {
                    None => Shape::Waiting,
                    Some(Ok(_)) => Shape::Shown,
                    Some(Err(fault)) if before == Some(&Shape::Shown) && fault.is_passing() => Shape::Shown,
                    Some(Err(fault)) => Shape::Fault(fault),
                });
                let (view, otherwise) = (view.clone(), otherwise.clone());
                move || match shape.get() {
                    Shape::Waiting => view! { <Loading /> }.into_any(),
                    Shape::Fault(fault) => otherwise(fault),
                    Shape::Shown => latest(reading).map(|value| view(value).into_any()).into_any(),
                }
            }
        </Transition>
    }
}

/// The last good value, as a signal; `None` before there was one.
fn latest<T: Readable>(reading: Reading<T>) -> Option<Signal<T>> {
    let first = untrack(move || reading.get())?.ok()?;
    let value = Memo::new(move |before: Option<&T>| match reading.get() {
        Some(Ok(value)) => value,
        _ => before.cloned().unwrap_or_else(|| first.clone()),
    });
    Some(value.into())
}

/// The picture of a fault: what is not allowed, what is not there, what failed.
fn picture(fault: &Fault, again: impl Fn() + Send + Sync + 'static) -> AnyView {
    let request_id = fault.problem().and_then(|problem| problem.request_id).map(|id| id.to_string());
    let detail = fault.problem().map(|problem| problem.detail.clone());
    match fault.code() {
        Some(Code::Forbidden) => view! { <Denied text=detail.unwrap_or_default() request_id=request_id /> }.into_any(),
        Some(Code::Unauthenticated) => view! {
            <Empty icon=Icon::Lock title="You are signed out" text="Sign in to see this page.">
                <LinkButton href=paths::SIGN_IN kind=Kind::Primary>
                    "Sign in"
                </LinkButton>
            </Empty>
        }
        .into_any(),
        Some(Code::NotFound) => {
            not_found_status();
            view! {
                <Empty
                    icon=Icon::Search
                    title="There is nothing here"
                    text="What this address names is gone, or was never there, or is not yours to see."
                >
                    <LinkButton href=paths::HOME>"Home"</LinkButton>
                </Empty>
            }
            .into_any()
        }
        code => {
            let title = match code {
                None => "The control plane does not answer",
                Some(code) => code.title(),
            };
            let text = detail.unwrap_or_else(|| "Nothing was changed by this page. Try again in a moment.".to_owned());
            view! {
                <Failed title text request_id=request_id>
                    <Button icon=Icon::Refresh on_press=move |()| again()>
                        "Try again"
                    </Button>
                </Failed>
            }
            .into_any()
        }
    }
}

fn not_found_status() {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
}
