//! Cursors: opaque, signed, bound to caller and filters. A cursor of another list or caller is `INVALID_CURSOR`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use occ_model::meta::Meta;
use occ_model::page::ListQuery;
use occ_model::problem::{Code, Problem};
use occ_store::list::{After, LabelTerm, ListSpec, Sort};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

use crate::context::Cx;
use crate::error::{Error, Result};

#[derive(Serialize, Deserialize)]
enum Place {
    N(String),
    C(i64, Uuid),
}

const TAG: usize = 16;

/// Binds a cursor to the caller, the list (operation id and scope) and the filters.
fn tag(cx: &Cx, list: &str, query: &ListQuery, place: &[u8]) -> Result<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(cx.keys.cursor.expose_secret())
        .map_err(|e| Error::fault("keying a cursor", e))?;
    let filters = (&query.name, &query.label_selector, &query.sort);
    let bound = serde_json::to_vec(&(cx.actor().identity.to_string(), list, filters))
        .map_err(|e| Error::fault("writing a cursor", e))?;
    mac.update(&bound);
    mac.update(place);
    Ok(mac.finalize().into_bytes()[..TAG].to_vec())
}

/// Writes the cursor of the page that follows `after`.
pub fn write(cx: &Cx, list: &str, query: &ListQuery, after: &After) -> Result<String> {
    let place = match after {
        After::Name(name) => Place::N(name.clone()),
        After::CreatedAt(micros, id) => Place::C(*micros, *id),
    };
    let place = serde_json::to_vec(&place).map_err(|e| Error::fault("writing a cursor", e))?;
    let mut bytes = tag(cx, list, query, &place)?;
    bytes.extend_from_slice(&place);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn read(cx: &Cx, list: &str, query: &ListQuery, cursor: &str) -> Result<After> {
    let refused = || Error::refused(Code::InvalidCursor, "Start the list again from its first page.");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
    let (given, place) = bytes.split_at_checked(TAG).ok_or_else(refused)?;
    if given != tag(cx, list, query, place)? {
        return Err(refused());
    }
    match serde_json::from_slice(place).map_err(|_| refused())? {
        Place::N(name) => Ok(After::Name(name)),
        Place::C(micros, id) => Ok(After::CreatedAt(micros, id)),
    }
}

/// Cuts a list to its page: the row more than the limit only says that another page follows.
pub fn page<R>(
    cx: &Cx,
    list: &str,
    query: &ListQuery,
    spec: &ListSpec,
    mut rows: Vec<R>,
    after: impl Fn(&R) -> After,
) -> Result<(Vec<R>, Option<String>)> {
    let more = rows.len() > usize::from(spec.limit);
    rows.truncate(usize::from(spec.limit));
    let next = rows.last().filter(|_| more).map(|row| write(cx, list, query, &after(row))).transpose()?;
    Ok((rows, next))
}

/// The key of a row with a name, in the order of the list.
pub fn after(spec: &ListSpec, meta: &Meta, id: Uuid) -> After {
    match spec.sort {
        Sort::Name => After::Name(meta.name.to_string()),
        Sort::CreatedAt => After::CreatedAt(meta.created_at.millis() * 1000, id),
    }
}

/// Reads a list request: `list` names the list (operation id and scope).
pub fn spec(cx: &Cx, list: &str, query: &ListQuery) -> Result<ListSpec> {
    let limit = query.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(invalid("/limit", "Ask for 1 to 200 items."));
    }
    let (sort, descending) = match query.sort.as_deref() {
        None | Some("name") => (Sort::Name, false),
        Some("-name") => (Sort::Name, true),
        Some("createdAt") => (Sort::CreatedAt, false),
        Some("-createdAt") => (Sort::CreatedAt, true),
        Some(_) => return Err(invalid("/sort", "Sort by name, -name, createdAt or -createdAt.")),
    };
    if query.name.as_deref().is_some_and(|name| name.len() > 63 || name.chars().any(char::is_control)) {
        return Err(invalid("/name", "Give the first characters of a name."));
    }
    let labels = query.label_selector.as_deref().map_or(Ok(Vec::new()), selector)?;
    let after = query.cursor.as_deref().map(|cursor| read(cx, list, query, cursor)).transpose()?;
    Ok(ListSpec { limit, after, name_prefix: query.name.clone(), labels, sort, descending })
}

/// Reads the request of a list that is kept by time alone, newest first when no order is asked for. Answers the request as it was
/// understood, which is what its cursors are bound to.
pub fn by_time(cx: &Cx, list: &str, query: &ListQuery) -> Result<(ListQuery, ListSpec)> {
    if query.name.is_some() || query.label_selector.is_some() {
        return Err(invalid("/name", "This list has neither names nor labels."));
    }
    let sort = query.sort.clone().unwrap_or_else(|| "-createdAt".to_owned());
    if sort.ends_with("name") {
        return Err(invalid("/sort", "Sort by createdAt or -createdAt."));
    }
    let query = ListQuery { sort: Some(sort), ..query.clone() };
    let spec = spec(cx, list, &query)?;
    Ok((query, spec))
}

fn invalid(pointer: &str, message: &str) -> Error {
    Problem::new(Code::InvalidQuery, message).at(pointer, "INVALID", message).into()
}

fn selector(text: &str) -> Result<Vec<LabelTerm>> {
    let refused = || invalid("/labelSelector", "Write key=value, key!=value, key or !key, separated by commas.");
    if text.len() > 4096 || text.chars().any(char::is_control) {
        return Err(refused());
    }
    text.split(',')
        .map(str::trim)
        .map(|term| {
            let parsed = if let Some((key, value)) = term.split_once("!=") {
                LabelTerm::Differs(key.to_owned(), value.to_owned())
            } else if let Some((key, value)) = term.split_once('=') {
                LabelTerm::Equals(key.to_owned(), value.to_owned())
            } else if let Some(key) = term.strip_prefix('!') {
                LabelTerm::Absent(key.to_owned())
            } else {
                LabelTerm::Exists(term.to_owned())
            };
            let (LabelTerm::Equals(key, _)
            | LabelTerm::Differs(key, _)
            | LabelTerm::Exists(key)
            | LabelTerm::Absent(key)) = &parsed;
            if key.is_empty() { Err(refused()) } else { Ok(parsed) }
        })
        .collect()
}
