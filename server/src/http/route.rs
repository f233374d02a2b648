//! Routes: a row of the operations table and a function. A row without a route fails a test; a route without a row cannot be written.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use occ_control::{Error, Result};
use occ_model::id::RequestId;
use occ_model::operation::{Method, Operation};
use occ_model::problem::{Code, Problem};

use super::call::Call;
use super::measure::Asked;
use super::problem::Failed;
use super::reply::Reply;
use super::state::AppState;

/// A handler: reads the call, calls the use case, answers.
type Handler = Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send>> + Send + Sync>;

/// One route.
#[derive(Clone)]
pub struct Route {
    /// Its row.
    pub operation: &'static Operation,
    handler: Handler,
    limit: usize,
}

/// Body limit where nothing else is said: 64 KiB.
const LIMIT: usize = 64 * 1024;

/// The route of `operation`.
pub fn route<F, Fut>(operation: &'static Operation, handler: F) -> Route
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply>> + Send + 'static,
{
    Route { operation, handler: Arc::new(move |call| Box::pin(handler(call))), limit: LIMIT }
}

impl Route {
    /// The same with another body limit, in KiB.
    #[must_use]
    pub fn kib(mut self, limit: usize) -> Self {
        self.limit = limit * 1024;
        self
    }

    fn method(&self) -> MethodFilter {
        match self.operation.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Put => MethodFilter::PUT,
            Method::Patch => MethodFilter::PATCH,
            Method::Delete => MethodFilter::DELETE,
        }
    }
}

/// The router of these routes, below `/api/v1`.
pub fn router(routes: Vec<Route>) -> Router<AppState> {
    let mut paths: BTreeMap<&'static str, MethodRouter<AppState>> = BTreeMap::new();
    for route in routes {
        let filter = route.method();
        let path = route.operation.path;
        let serve =
            move |State(state): State<AppState>, Path(path): Path<BTreeMap<String, String>>, request: Request| {
                let route = route.clone();
                async move { run(&route, &state, path, request).await }
            };
        let methods = paths.remove(path).unwrap_or_default();
        paths.insert(path, methods.merge(on(filter, serve)));
    }
    paths.into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods))
}

async fn run(route: &Route, state: &AppState, path: BTreeMap<String, String>, request: Request) -> Response {
    tracing::Span::current().record("operation", route.operation.id);
    let id = request.extensions().get::<RequestId>().copied().unwrap_or_else(RequestId::new);
    let mut response = match answer(route, state, path, request, id).await {
        Ok(reply) => reply.into_response(),
        Err(error) => Failed::of(error, id).into_response(),
    };
    response.extensions_mut().insert(Asked::operation(route.operation.id));
    response
}

async fn answer(
    route: &Route,
    state: &AppState,
    path: BTreeMap<String, String>,
    request: Request,
    id: RequestId,
) -> Result<Reply> {
    let (parts, body) = request.into_parts();
    let cx = state.authn.authenticate(&state.control, &parts, id).await?;
    let body =
        Limited::new(body, route.limit).collect().await.map_err(|e| unreadable(e.as_ref(), route.limit))?.to_bytes();
    let query = parts.uri.query().unwrap_or_default();
    let uri_path = parts.uri.path().to_owned();
    let stop = state.shutdown.clone();
    let call = Call::new(cx, route.operation, uri_path, parts.headers, path, query, body.to_vec(), stop)?;
    (route.handler)(call).await
}

fn unreadable(error: &(dyn std::error::Error + Send + Sync + 'static), limit: usize) -> Error {
    if error.is::<LengthLimitError>() {
        return Error::refused(Code::BodyTooLarge, format!("Send at most {} KiB.", limit / 1024));
    }
    Problem::new(Code::MalformedRequest, "The body ended too early, or was not there in time.").into()
}
