//! Each page is rendered by one thread from its first component to its last byte.
//!
//! The reactive graph of a page has a lock per node, and its effects and resources take them in both orders: two threads that work on
//! one page can wait for each other for ever, and with them everything else that those threads serve (leptos-rs/leptos#4673, as of
//! 0.8.23). Invariant: whatever a page spawns runs on the thread that renders it, so no lock of it is ever waited for.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use tokio::runtime::{Builder, Handle};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::http::fallback;

/// More threads than this render nothing faster: pages wait for the database.
const MOST: usize = 8;

/// The threads, each with a runtime of its own, for as long as the process lives.
static RENDERERS: LazyLock<Vec<Handle>> = LazyLock::new(|| {
    let wanted = thread::available_parallelism().map_or(1, usize::from).min(MOST);
    (0..wanted)
        .filter_map(|_| start().inspect_err(|error| tracing::error!(%error, "a renderer did not start")).ok())
        .collect()
});

fn start() -> std::io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new()
        .name("occ-render".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}

fn next_renderer() -> Option<&'static Handle> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let turn = NEXT.fetch_add(1, Ordering::Relaxed);
    RENDERERS.get(turn.checked_rem(RENDERERS.len())?)
}

/// Renders the page on one of the threads. Whoever asked and went away ends it.
pub async fn on_one_thread(request: Request, next: Next) -> Response {
    let Some(renderer) = next_renderer() else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    let rendering = async move {
        let (head, body) = next.run(request).await.into_parts();
        // Pages are whole when they are sent (`SsrMode::Async`); what is left of one would be rendered by whoever sends it.
        to_bytes(body, usize::MAX).await.map(|body| Response::from_parts(head, Body::from(body)))
    };
    match AbortOnDropHandle::new(renderer.spawn(rendering.in_current_span())).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error),
    }
}

fn failed(error: &(dyn std::error::Error + 'static)) -> Response {
    tracing::error!(error, "a page could not be rendered");
    fallback::broken()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use axum::Router;
    use axum::routing::get;
    use futures::StreamExt as _;
    use tower::ServiceExt as _;

    fn here() -> String {
        format!("{:?} {:?}\n", thread::current().name(), thread::current().id())
    }

    /// A page that says which threads worked on it: its handler, what that spawned, and its body as it is read.
    async fn page() -> Body {
        let handler = here();
        let spawned = tokio::spawn(async { here() }).await.unwrap();
        let body = futures::stream::iter([handler, spawned]).chain(futures::stream::once(async {
            tokio::task::yield_now().await;
            here()
        }));
        Body::from_stream(body.map(Ok::<_, std::convert::Infallible>))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn one_thread_renders_a_page_with_all_that_it_spawns() {
        let app = Router::new().route("/", get(page)).layer(axum::middleware::from_fn(on_one_thread));
        for _ in 0..50 {
            let request = Request::get("/").body(Body::empty()).unwrap();
            let response = app.clone().oneshot(request).await.unwrap();
            let said = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let said = String::from_utf8(said.to_vec()).unwrap();
            let lines: Vec<_> = said.lines().collect();
            assert_eq!(lines.len(), 3);
            assert!(lines[0].contains("occ-render"), "{said}");
            assert!(lines.iter().all(|line| *line == lines[0]), "{said}");
        }
    }
}
