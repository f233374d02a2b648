//! Recognising callers: a session cookie (people) or a service key (automation), never both.
//!
//! Writes by cookie need the exact Origin of this server, so that no other page can make a browser act (CSRF). What is recognised
//! here is only *who*; *what they may do* is decided beside each action (`occ_control::Cx::require`).

pub mod origin;
mod peer;
pub mod session_store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use occ_control::context::Credential;
use occ_control::{Control, Cx, Error, Result, signin};
use occ_model::id::{PrincipalId, RequestId, SessionId};
use occ_model::identity::{Actor, Identity};
use occ_model::problem::Code;
use tower_sessions::Session;

pub use origin::Origins;
pub use peer::{address, behind_proxies};

/// Name of the session cookie.
pub const COOKIE: &str = "__Host-occ_session";
/// Key of the signed-in person in a session's data: written once, at sign-in; read from the session's row.
pub const PRINCIPAL: &str = "principal";
/// Key of that person's name, read from their row.
pub const NAME: &str = "name";
/// Key of the session's id, read from its row.
pub const SESSION: &str = "session";

/// How callers are recognised.
#[derive(Clone)]
pub struct Authn {
    /// Which origins may write by cookie.
    pub origins: Arc<Origins>,
}

impl Authn {
    /// The caller's context, or `UNAUTHENTICATED`.
    pub async fn authenticate(&self, control: &Arc<Control>, request: &Parts, id: RequestId) -> Result<Cx> {
        let headers = &request.headers;
        let bearer = bearer(headers)?;
        // Without a cookie there is nobody to be recognised: that comes before where the request is from.
        let session = request.extensions.get::<Session>().filter(|_| has_cookie(headers));
        if bearer.is_some() && session.is_some() {
            return Err(Error::refused(
                Code::MalformedRequest,
                "Send a session cookie or an Authorization header, not both.",
            ));
        }
        let (actor, credential) = match (bearer, session) {
            (Some(key), _) => signin::authenticate_key(control, key, address(&request.extensions)).await?,
            (None, Some(session)) => {
                if !matches!(request.method, Method::GET | Method::HEAD) {
                    self.origins.check(headers)?;
                }
                person(session).await?.ok_or_else(anonymous)?
            }
            (None, None) => return Err(anonymous()),
        };
        Ok(Cx::new(Arc::clone(control), actor, Some(id)).recognised_by(credential))
    }
}

/// The person who is signed in, if one is: the session's row says so, and that it is live and its person may act.
async fn person(session: &Session) -> Result<Option<(Actor, Credential)>> {
    let broken = |e| Error::fault("reading the session", e);
    let principal: Option<PrincipalId> = session.get(PRINCIPAL).await.map_err(broken)?;
    let name: Option<String> = session.get(NAME).await.map_err(broken)?;
    let id: Option<SessionId> = session.get(SESSION).await.map_err(broken)?;
    let (Some(principal), Some(name), Some(id)) = (principal, name, id) else { return Ok(None) };
    Ok(Some((Actor { identity: Identity::Principal(principal), name }, Credential::Session(id))))
}

fn anonymous() -> Error {
    Error::refused(Code::Unauthenticated, "Sign in, or send a service key as `Authorization: Bearer`.")
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let key = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match key {
        Some((_, key)) => Ok(Some(key.trim())),
        None => Err(Error::refused(Code::Unauthenticated, "Send `Authorization: Bearer` with a service key.")),
    }
}

fn has_cookie(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .any(|pair| pair.split('=').next().is_some_and(|name| name.trim() == COOKIE))
}
