//! Secrets: values go in and never come out; Agents get an exact grant each.

use occ_model::id::{AgentId, NamespaceId, SecretId};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use occ_model::secret::{CreateSecret, Secret, SecretConsumer, SecretValue};
use serde_json::Value;

use crate::{Cx, Result, WriteOptions, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<SecretId>;

/// The Secrets of a Namespace that the caller may read.
pub async fn list(_cx: &Cx, _namespace: &In, _query: &ListQuery) -> Result<Page<Secret>> {
    unfinished()
}

/// Makes one with its first version.
pub async fn create(_cx: &Cx, _namespace: &In, _request: CreateSecret, _options: &WriteOptions) -> Result<Secret> {
    unfinished()
}

/// One Secret, without its value.
pub async fn get(_cx: &Cx, _namespace: &In, _secret: &Of) -> Result<Secret> {
    unfinished()
}

/// Changes texts and labels: a JSON Merge Patch of [`occ_model::secret::SecretDraft`]; needs `If-Match`.
pub async fn update(
    _cx: &Cx,
    _namespace: &In,
    _secret: &Of,
    _patch: &Value,
    _options: &WriteOptions,
) -> Result<Secret> {
    unfinished()
}

/// Removes it and destroys its values, unless a draft or an unretired revision refers to it.
pub async fn delete(_cx: &Cx, _namespace: &In, _secret: &Of, _options: &WriteOptions) -> Result<()> {
    unfinished()
}

/// Sets a new value: a new version (201). It reaches a process only by a new revision.
pub async fn set_value(
    _cx: &Cx,
    _namespace: &In,
    _secret: &Of,
    _value: SecretValue,
    _options: &WriteOptions,
) -> Result<Secret> {
    unfinished()
}

/// Destroys the value of one version, whoever still pins it.
pub async fn destroy_version(
    _cx: &Cx,
    _namespace: &In,
    _secret: &Of,
    _version: i64,
    _options: &WriteOptions,
) -> Result<()> {
    unfinished()
}

/// Agents that may use it or use it (those that the caller may read). One page holds them all.
pub async fn consumers(_cx: &Cx, _namespace: &In, _secret: &Of) -> Result<Page<SecretConsumer>> {
    unfinished()
}

/// Lets an Agent's own identity use it: the exact binding. Twice is once.
pub async fn grant(
    _cx: &Cx,
    _namespace: &In,
    _secret: &Of,
    _agent: &Selector<AgentId>,
    _options: &WriteOptions,
) -> Result<SecretConsumer> {
    unfinished()
}

/// Takes that binding away. Not there is done.
pub async fn withdraw(
    _cx: &Cx,
    _namespace: &In,
    _secret: &Of,
    _agent: &Selector<AgentId>,
    _options: &WriteOptions,
) -> Result<()> {
    unfinished()
}
