//! Two tenants with a thing of every kind each, and everybody who asks for them.

use std::collections::BTreeMap;

use axum::http::Method;
use occ_model::operation::{Action, Kind, OPERATIONS};
use occ_policy::PermissionSet;
use occ_testkit::trace::trace;
use occ_testkit::{Tenant, Worker};
use sqlx::PgPool;
use uuid::Uuid;

use super::answer::Answer;
use super::door::{Asked, Door};
use super::things;
use crate::test_site::{ORIGIN, SignedIn, Site};

/// By what a thing is named in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Id,
    /// Its name, where it has one.
    Name,
}

/// What a request can name of one tenant, or of none: word → id and name.
#[derive(Clone, Debug, Default)]
pub struct Side(BTreeMap<&'static str, (String, String)>);

impl Side {
    pub fn put(&mut self, word: &'static str, id: impl ToString, name: Option<&str>) {
        let id = id.to_string();
        let name = name.map_or_else(|| id.clone(), ToOwned::to_owned);
        self.0.insert(word, (id, name));
    }

    pub fn knows(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    pub fn value(&self, word: &str, form: Form) -> &str {
        let (id, name) = &self.0[word];
        if form == Form::Id { id } else { name }
    }

    /// Whether both have the same under this word: it is nobody's own.
    pub fn shares(&self, word: &str, with: &Self) -> bool {
        self.0.get(word) == with.0.get(word)
    }
}

/// What is the Installation's, and may be shown to whoever administers a Namespace.
const COMMON: [&str; 1] = ["role"];

/// Rows and contents of every table.
pub type State = BTreeMap<String, i64>;

/// Everything that the walks go through.
pub struct World {
    pub site: Site,
    pool: PgPool,
    /// May do everything.
    pub admin: SignedIn,
    /// May do nothing.
    pub nobody: SignedIn,
    /// Administers the other tenant, and reads its audit log.
    pub foreign: SignedIn,
    /// May do everything but one thing.
    but: BTreeMap<(Action, Kind), SignedIn>,
    /// The tenant that is asked for.
    pub a: Side,
    /// The other one.
    pub b: Side,
    /// What is not there.
    pub absent: Side,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        let site = Site::new(pool.clone()).await;
        let test = &site.test;
        test.bind(&test.admin, "auditor", None).await.unwrap();
        let (alpha, beta) = (test.tenant("alpha").await.unwrap(), test.tenant("beta").await.unwrap());
        let worker = Worker::start(&test.control);
        let (mut a, mut b) = (things::make(test, &alpha).await, things::make(test, &beta).await);
        worker.end().await;
        let admin = site.session_of(&test.admin).await;
        a.put("session", site.session_of(&test.admin).await.session, None);
        let foreign = administrator(&site, &beta).await;
        b.put("session", site.session_of(&foreign.actor).await.session, None);
        let nobody = site.session_of(&test.person("Nobody").await.unwrap()).await;
        for side in [&mut a, &mut b] {
            side.put("person", nobody.actor.identity, None);
        }
        let but = all_but_one(&site).await;
        let absent = things::absent(&a);
        Self { site, pool, admin, nobody, foreign, but, a, b, absent }
    }

    /// The person who may do everything but what this door asks for.
    pub fn all_but(&self, door: &Door) -> Option<&SignedIn> {
        door.operation.action.map(|action| &self.but[&(action, door.operation.kind)])
    }

    /// Asks as a browser does on a page of `origin`.
    pub async fn ask_from(&self, origin: &str, who: Option<&SignedIn>, door: &Door, asked: &Asked) -> Answer {
        let mut headers = vec![("origin", origin), ("accept", "application/json")];
        let if_match = door.if_match.map(|generation| format!("\"{generation}\""));
        headers.extend(if_match.as_deref().map(|generation| ("if-match", generation)));
        headers.extend(who.map(|who| ("cookie", who.cookie.as_str())));
        headers.extend(asked.body.is_some().then_some(("content-type", "application/json")));
        let body = asked.body.clone().unwrap_or_default();
        let response = self.site.send_with(door.method.clone(), &asked.address, &headers, body).await;
        let mut answer = Answer::read(response).await;
        let request: Uuid = answer.request_id().trim_start_matches("req_").parse().unwrap();
        answer.audited =
            sqlx::query_as("SELECT action, outcome FROM audit_event WHERE request_id = $1 ORDER BY at, id")
                .bind(request)
                .fetch_all(&self.pool)
                .await
                .unwrap();
        answer
    }

    /// The same from this server's own pages.
    pub async fn ask(&self, who: &SignedIn, door: &Door, asked: &Asked) -> Answer {
        self.ask_from(ORIGIN, Some(who), door, asked).await
    }

    /// Every table as it stands, but for what being asked leaves: audit events, and when a session was last used.
    pub async fn state(&self) -> State {
        let mut found = trace(&self.pool).await.unwrap().0;
        found.retain(|table, _| !table.starts_with("audit_event") && table != "session (content)");
        found
    }

    /// What of the first tenant stands in an answer to somebody who named nothing of it.
    pub fn shown_of_a(&self, text: &str) -> Vec<&str> {
        let own = self.a.0.iter().filter(|(word, _)| !COMMON.contains(word) && !self.a.shares(word, &self.b));
        own.flat_map(|(_, (id, name))| [id.as_str(), name.as_str()]).filter(|mark| text.contains(mark)).collect()
    }
}

async fn administrator(site: &Site, of: &Tenant) -> SignedIn {
    let person = site.test.person("Bea").await.unwrap();
    for role in ["namespace-admin", "auditor"] {
        site.test.bind(&person, role, Some(of.namespace.id)).await.unwrap();
    }
    site.session_of(&person).await
}

async fn all_but_one(site: &Site) -> BTreeMap<(Action, Kind), SignedIn> {
    let mut found = BTreeMap::new();
    for operation in OPERATIONS {
        let Some(action) = operation.action else { continue };
        let one = (action, operation.kind);
        if found.contains_key(&one) {
            continue;
        }
        let every = Action::ALL.iter().flat_map(|action| Kind::ALL.iter().map(|kind| (*action, *kind)));
        let permissions: PermissionSet = every.filter(|permission| *permission != one).collect();
        let name = format!("but-{}-{}", one.0, one.1).replace('_', "-").parse().unwrap();
        let person = site.test.person_with(&name, &permissions).await.unwrap();
        found.insert(one, site.session_of(&person).await);
    }
    found
}

/// Whether a request of this method needs to come from this server's own pages.
pub fn writes(method: &Method) -> bool {
    *method != Method::GET
}
