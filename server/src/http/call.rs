//! A REST request, read once: who, path, query, body, what the write may be asked for.

use std::collections::BTreeMap;
use std::str::FromStr;

use axum::http::{HeaderMap, StatusCode, header};
use occ_control::{Cx, Error, Result, WriteOptions};
use occ_model::id::TypedId;
use occ_model::operation::{Method, Operation};
use occ_model::page::ListQuery;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::strict;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::reply::Reply;

/// One REST request after authentication.
pub struct Call {
    /// The caller's context.
    pub cx: Cx,
    /// The path as sent, for `Location`.
    pub uri_path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The process is stopping: streams end.
    pub shutdown: CancellationToken,
    path: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
    body: Vec<u8>,
}

const LIST_PARAMETERS: [&str; 5] = ["limit", "cursor", "labelSelector", "name", "sort"];

impl Call {
    #[expect(clippy::too_many_arguments, reason = "the parts of a request, put together in one place")]
    /// From its parts; refuses a repeated query parameter and a body where none is taken.
    pub fn new(
        cx: Cx,
        operation: &'static Operation,
        uri_path: String,
        headers: HeaderMap,
        path: BTreeMap<String, String>,
        query: &str,
        body: Vec<u8>,
        shutdown: CancellationToken,
    ) -> Result<Self> {
        let mut parameters = BTreeMap::new();
        for (name, value) in form_urlencoded(query) {
            if parameters.insert(name.clone(), value).is_some() {
                return Err(invalid(&name, "Send it once."));
            }
        }
        let takes_body = matches!(operation.method, Method::Post | Method::Put | Method::Patch);
        if !takes_body && !body.is_empty() {
            return Err(Error::refused(Code::MalformedRequest, "This operation takes no body."));
        }
        Ok(Self { cx, uri_path, headers, shutdown, path, query: parameters, body })
    }

    /// A path segment as id or name. What is neither names nothing.
    pub fn selector<I: TypedId>(&self, name: &str) -> Result<Selector<I>> {
        self.path.get(name).and_then(|text| text.parse().ok()).ok_or_else(Error::not_found)
    }

    /// A path segment of any other type. What does not read names nothing.
    pub fn segment<T: FromStr>(&self, name: &str) -> Result<T> {
        self.path.get(name).and_then(|text| text.parse().ok()).ok_or_else(Error::not_found)
    }

    /// The body, strictly.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T> {
        self.json_content(false)?;
        Ok(strict::from_slice(&self.body)?)
    }

    /// The body as a JSON Merge Patch.
    pub fn merge_patch(&self) -> Result<serde_json::Value> {
        self.json_content(true)?;
        Ok(strict::from_slice(&self.body)?)
    }

    /// Refuses a body on an operation that takes none though its method could.
    pub fn no_body(&self) -> Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        Err(Error::refused(Code::MalformedRequest, "This operation takes no body."))
    }

    fn json_content(&self, patch: bool) -> Result<()> {
        let given = self.headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Ok(()),
            "application/merge-patch+json" if patch => Ok(()),
            _ => Err(Error::refused(
                Code::UnsupportedMediaType,
                if patch { "Send application/merge-patch+json or application/json." } else { "Send application/json." },
            )),
        }
    }

    /// Refuses query parameters other than `known`.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        match self.query.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(invalid(unknown, "This query parameter is not known here.")),
            None => Ok(()),
        }
    }

    /// A query parameter of any type.
    pub fn parameter<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        self.query
            .get(name)
            .map(|text| text.parse().map_err(|_| invalid(name, "This value cannot be read.")))
            .transpose()
    }

    /// What a list was asked for; other parameters are refused.
    pub fn list(&self) -> Result<ListQuery> {
        self.list_with(&[])
    }

    /// What a list was asked for, beside parameters of its own.
    pub fn list_with(&self, own: &[&str]) -> Result<ListQuery> {
        let known: Vec<_> = LIST_PARAMETERS.iter().chain(own).copied().collect();
        self.only(&known)?;
        Ok(ListQuery {
            limit: self.parameter("limit")?,
            cursor: self.query.get("cursor").cloned(),
            label_selector: self.query.get("labelSelector").cloned(),
            name: self.query.get("name").cloned(),
            sort: self.query.get("sort").cloned(),
        })
    }

    /// What the write was asked for: `dryRun`, `Idempotency-Key`, `If-Match`.
    pub fn options(&self) -> Result<WriteOptions> {
        self.only(&["dryRun"])?;
        let idempotency_key = self.header("idempotency-key")?.map(|text| {
            text.parse().map_err(|e: occ_model::name::InvalidText| {
                Problem::new(Code::MalformedRequest, format!("The Idempotency-Key {e}."))
            })
        });
        Ok(WriteOptions {
            dry_run: self.parameter("dryRun")?.unwrap_or(false),
            idempotency_key: idempotency_key.transpose()?,
            if_match: self.header("if-match")?.map(generation).transpose()?,
        })
    }

    /// 201 with what was made and its place; 200 when it was a dry run.
    pub fn created(&self, made: &impl serde::Serialize, id: impl std::fmt::Display, generation: i64) -> Reply {
        if self.parameter("dryRun").ok().flatten().unwrap_or(false) {
            return Reply::ok(made);
        }
        Reply::with(StatusCode::CREATED, made).etag(generation).location(&format!("{}/{id}", self.uri_path))
    }

    /// The same for what has no generation: it is made and removed, never edited.
    pub fn made(&self, made: &impl serde::Serialize, id: impl std::fmt::Display) -> Reply {
        if self.parameter("dryRun").ok().flatten().unwrap_or(false) {
            return Reply::ok(made);
        }
        Reply::with(StatusCode::CREATED, made).location(&format!("{}/{id}", self.uri_path))
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Result<Option<&str>> {
        self.headers
            .get(name)
            .map(|value| {
                value.to_str().map_err(|_| {
                    Error::refused(Code::MalformedRequest, format!("The header {name} must be plain text."))
                })
            })
            .transpose()
    }
}

fn generation(text: &str) -> Result<i64> {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(|number| number.parse().ok()).ok_or_else(
        || {
            Error::refused(
                Code::MalformedRequest,
                "If-Match must be an ETag as it was read: a number in double quotes.",
            )
        },
    )
}

fn invalid(name: &str, message: &str) -> Error {
    let pointer = format!("/{}", strict::escape(name));
    Problem::new(Code::InvalidQuery, "Correct the query parameter that is named.")
        .at(&pointer, "INVALID", message)
        .into()
}

fn form_urlencoded(query: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}
