//! Configurations: native documents, checked when they are saved, with their last generations kept.

use occ_model::configuration::{
    CheckConfiguration, Configuration, ConfigurationCheck, ConfigurationDraft, ConfigurationGeneration,
    CreateConfiguration,
};
use occ_model::deployment::DiffEntry;
use occ_model::id::{ConfigurationId, NamespaceId};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use serde_json::Value;

use crate::{Cx, Result, WriteOptions, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<ConfigurationId>;

/// The Configurations of a Namespace that the caller may read.
pub async fn list(_cx: &Cx, _namespace: &In, _query: &ListQuery) -> Result<Page<Configuration>> {
    unfinished()
}

/// Saves a new one.
pub async fn create(
    _cx: &Cx,
    _namespace: &In,
    _request: CreateConfiguration,
    _options: &WriteOptions,
) -> Result<Configuration> {
    unfinished()
}

/// One Configuration.
pub async fn get(_cx: &Cx, _namespace: &In, _configuration: &Of) -> Result<Configuration> {
    unfinished()
}

/// Replaces what can be edited; needs `If-Match`.
pub async fn put(
    _cx: &Cx,
    _namespace: &In,
    _configuration: &Of,
    _draft: ConfigurationDraft,
    _options: &WriteOptions,
) -> Result<Configuration> {
    unfinished()
}

/// Changes what can be edited: a JSON Merge Patch of [`ConfigurationDraft`]; needs `If-Match`.
pub async fn update(
    _cx: &Cx,
    _namespace: &In,
    _configuration: &Of,
    _patch: &Value,
    _options: &WriteOptions,
) -> Result<Configuration> {
    unfinished()
}

/// Removes it, unless a draft refers to it.
pub async fn delete(_cx: &Cx, _namespace: &In, _configuration: &Of, _options: &WriteOptions) -> Result<()> {
    unfinished()
}

/// The kept generations, newest first, without their documents. One page holds them all.
pub async fn generations(_cx: &Cx, _namespace: &In, _configuration: &Of) -> Result<Page<ConfigurationGeneration>> {
    unfinished()
}

/// One kept generation with its document.
pub async fn generation(
    _cx: &Cx,
    _namespace: &In,
    _configuration: &Of,
    _number: i64,
) -> Result<ConfigurationGeneration> {
    unfinished()
}

/// What differs between two kept generations: `from` is the one before `to` when absent, `to` the newest.
pub async fn diff(
    _cx: &Cx,
    _namespace: &In,
    _configuration: &Of,
    _from: Option<i64>,
    _to: Option<i64>,
) -> Result<Vec<DiffEntry>> {
    unfinished()
}

/// Whether a document could be saved, for the editor. Stores nothing.
pub async fn validate(_cx: &Cx, _namespace: &In, _request: CheckConfiguration) -> Result<ConfigurationCheck> {
    unfinished()
}
