//! Answers where no route answers: the same problems as everywhere.

use std::any::Any;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, body::Body};
use occ_model::id::RequestId;
use occ_model::problem::{Code, Problem};

use super::problem::Failed;

/// What a person sees whose browser asked for an address that is not there. It needs nothing that could be missing, too.
const PAGE: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Not found · OpenClaw Control Plane</title>
<link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">
<link rel=\"stylesheet\" href=\"/pkg/console.css\">
</head>
<body>
<main class=\"alone\">
<section class=\"card\">
<h1>There is nothing here</h1>
<p class=\"muted\">The address may be misspelt, or what it named is gone.</p>
<p><a class=\"link\" href=\"/console\">To the console</a></p>
</section>
</main>
</body>
</html>
";

/// What that page loads: its look, from here.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; frame-ancestors 'none'; \
                           base-uri 'none'; form-action 'self'";

/// No such address: a page where a person's browser asks, a problem where a program does.
pub async fn no_page(id: Option<Extension<RequestId>>, request: Request) -> Response {
    if !wants_page(&request) {
        return not_found(id).await;
    }
    let headers = [(header::CONTENT_SECURITY_POLICY, PAGE_POLICY), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::NOT_FOUND, headers, Html(PAGE)).into_response()
}

/// A browser that shows an address says that it takes HTML; nobody asks the API for a page.
fn wants_page(request: &Request) -> bool {
    let path = request.uri().path();
    let of_api = path == "/api" || path.starts_with("/api/");
    let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    reads && !of_api && accepts.split(',').any(|kind| kind.trim().starts_with("text/html"))
}

/// No such path.
pub async fn not_found(id: Option<Extension<RequestId>>) -> Response {
    let problem = Problem::new(Code::NotFound, "There is nothing at this address. The API is described at /api/docs.");
    Failed::problem(problem, id.map(|Extension(id)| id)).into_response()
}

/// The path exists, the method does not; axum adds `Allow`.
pub async fn method_not_allowed(id: Option<Extension<RequestId>>) -> Response {
    let problem = Problem::new(Code::MethodNotAllowed, "Use one of the methods that the Allow header names.");
    Failed::problem(problem, id.map(|Extension(id)| id)).into_response()
}

/// A handler panicked: logged by the panic hook, told as a fault of ours.
pub fn panicked(_panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    broken()
}

/// The answer to what failed on our side.
pub fn broken() -> Response<Body> {
    let problem = Problem::new(Code::Internal, "Something failed on our side. Give the request id to the operator.");
    Failed::problem(problem, None).into_response()
}

/// Another Host name than ours.
pub fn foreign_host(_headers: &HeaderMap) -> Response {
    (StatusCode::MISDIRECTED_REQUEST, "This server does not answer for this host name.\n").into_response()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use axum::http::{Method, StatusCode, header};
    use sqlx::PgPool;

    use crate::test_site::Site;

    #[sqlx::test(migrator = "occ_store::MIGRATIONS")]
    async fn a_browser_gets_a_page_and_a_program_a_problem(pool: PgPool) {
        let site = Site::new(pool).await;
        let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
        let program = [("accept", "*/*")];
        let html = "text/html; charset=utf-8";
        let problem = "application/problem+json";
        for (method, path, headers, kind) in [
            (Method::GET, "/nosuch", &browser, html),
            (Method::GET, "/nosuch/deeper?x=1", &browser, html),
            (Method::GET, "/nosuch", &program, problem),
            (Method::POST, "/nosuch", &browser, problem),
            (Method::GET, "/api/nosuch", &browser, problem),
            (Method::GET, "/api/v1/nosuch", &browser, problem),
        ] {
            let answer = site.send(method.clone(), path, headers).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{method} {path}");
            assert_eq!(answer.headers()[header::CONTENT_TYPE], kind, "{method} {path}");
        }
    }
}
