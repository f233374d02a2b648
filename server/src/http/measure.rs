//! Requests, counted and timed by what they asked for. Only names that are written in our sources become labels; never a path as it
//! was sent.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use leptos::server_fn::axum::server_fn_paths;
use metrics::{counter, histogram};
use occ_model::metric::{HTTP_REQUESTS, HTTP_SECONDS};

/// Which door a request came to, and what for. Put into the answer by whoever knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    door: &'static str,
    operation: String,
}

impl Asked {
    /// An operation of the table, over REST.
    pub fn operation(id: &'static str) -> Self {
        Self { door: "api", operation: id.to_owned() }
    }
}

/// Counts every request whose answer says what it was for.
pub async fn measure(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let response = next.run(request).await;
    if let Some(Asked { door, operation }) = response.extensions().get::<Asked>().cloned() {
        let status = class(response.status());
        counter!(HTTP_REQUESTS.name, "door" => door, "operation" => operation.clone(), "status" => status).increment(1);
        histogram!(HTTP_SECONDS.name, "door" => door, "operation" => operation).record(began.elapsed());
    }
    response
}

/// Says of an answer of the console which page or server function it was for, unless there was none.
pub async fn console(request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let function = function(request.uri().path());
    let mut response = next.run(request).await;
    if let Some(operation) = function.or(path) {
        response.extensions_mut().insert(Asked { door: "console", operation });
    }
    response
}

/// The name in the sources of the server function at `path`: Leptos puts a number of its own behind it. A path that no server
/// function has is no label, whoever asks for it.
fn function(path: &str) -> Option<String> {
    path.starts_with("/api/fn/").then(|| {
        let known = server_fn_paths().map(|(known, _)| known).find(|known| *known == path);
        let name = known.and_then(|known| known.strip_prefix("/api/fn/"));
        name.map_or("unknown", |name| name.trim_end_matches(|c: char| c.is_ascii_digit())).to_owned()
    })
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn only_names_of_the_sources_become_labels() {
        let (known, _) = server_fn_paths().next().unwrap();
        assert_eq!(function(known).map(|name| known.contains(&name)), Some(true));
        for path in ["/api/fn/nonsense1x", "/api/fn/", "/api/fn/a/b?c"] {
            assert_eq!(function(path).as_deref(), Some("unknown"), "{path}");
        }
        assert_eq!(function("/console"), None);
    }
}
