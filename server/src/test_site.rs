//! For tests: everything that is answered over HTTP, over a real database, and people who are signed in to it.
#![allow(clippy::unwrap_used, reason = "tests")]

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use occ_model::id::SessionId;
use occ_model::identity::{Actor, Identity};
use occ_store::session::{self, Lifetimes};
use occ_testkit::TestControl;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_sessions::session::Id;

use crate::authn::{COOKIE, session_store};
use crate::config::Config;
use crate::serve::{Roles, router};

const HOST: &str = "127.0.0.1:7171";
/// Where this server's own pages come from.
pub const ORIGIN: &str = "http://127.0.0.1:7171";

/// A server without a listener.
pub struct Site {
    pub test: TestControl,
    pub shutdown: CancellationToken,
    app: Router,
}

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub actor: Actor,
    /// As a browser sends it.
    pub cookie: String,
    pub session: SessionId,
}

impl Site {
    pub async fn new(pool: PgPool) -> Self {
        let test = TestControl::new(pool).await.unwrap();
        let shutdown = CancellationToken::new();
        let roles = Roles { api: true, console: true, controller: false };
        let app = router(&Config::default(), &test.control, roles, shutdown.clone());
        Self { test, shutdown, app }
    }

    /// Sends a request without a body.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
        self.send_with(method, path, headers, Body::empty()).await
    }

    /// Sends a request.
    pub async fn send_with(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, HOST);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.app.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap()
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> (StatusCode, Value) {
        read(self.send(Method::GET, path, headers).await).await
    }

    /// A session of a person, as signing in leaves it.
    pub async fn session_of(&self, who: &Actor) -> SignedIn {
        let Identity::Principal(principal) = who.identity else { unreachable!("only people have sessions") };
        let token = Id::default();
        let hash = session_store::hash(token);
        let store = &self.test.control.store;
        let mut tx = store.observe().await.unwrap();
        session::insert(&mut tx, &hash, Some(principal), &json!({}), Lifetimes::default()).await.unwrap();
        tx.commit().await.unwrap();
        let session = session::load(&mut store.read().await.unwrap(), &hash).await.unwrap().unwrap().id;
        SignedIn { actor: who.clone(), cookie: format!("{COOKIE}={token}"), session }
    }
}

/// Status and body; `null` where that is no JSON.
pub async fn read(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}
