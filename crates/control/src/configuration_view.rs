//! Configurations as they are shown and edited: bindings by name, consumers that the caller may read. And the editor's question.

use std::collections::HashMap;

use occ_model::configuration::{
    CheckConfiguration, Completion, Configuration, ConfigurationCheck, ConfigurationDraft, SecretBinding,
};
use occ_model::id::{NamespaceId, SecretId, TypedId};
use occ_model::name::Name;
use occ_model::operation::{self, Action};
use occ_model::problem::Problem;
use occ_model::reference::{Resolved, Selector};
use occ_policy::{Facts, Target};
use occ_store::configuration::{Binding, ConfigurationRow};
use occ_store::reference::{self, Referrer};
use occ_store::{Conn, secret};

use crate::context::Cx;
use crate::document;
use crate::error::{Error, Result};
use crate::place;

/// One Configuration.
pub(crate) async fn view(
    on: &mut impl Conn,
    facts: &Facts,
    namespace: NamespaceId,
    row: ConfigurationRow,
) -> Result<Configuration> {
    views(on, facts, namespace, vec![row]).await?.pop().ok_or_else(Error::not_found)
}

/// Configurations of one Namespace, in the order given.
pub(crate) async fn views(
    on: &mut impl Conn,
    facts: &Facts,
    namespace: NamespaceId,
    rows: Vec<ConfigurationRow>,
) -> Result<Vec<Configuration>> {
    let bound: Vec<_> = rows.iter().flat_map(|row| &row.bindings).map(|binding| binding.secret).collect();
    let names = secret::names(on, &bound).await?;
    let ids: Vec<_> = rows.iter().map(|row| row.id.uuid()).collect();
    let referrers = reference::referrers(on, &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| Configuration {
            id: row.id,
            consumers: consumers(facts, namespace, &row, &referrers),
            secret_bindings: by_name(&row.bindings, &names),
            meta: row.meta,
            kind: row.kind,
            values: row.values,
        })
        .collect())
}

fn consumers(facts: &Facts, namespace: NamespaceId, row: &ConfigurationRow, all: &[Referrer]) -> Vec<Resolved> {
    all.iter()
        .filter(|by| by.to == row.id.uuid())
        .filter(|by| {
            let target = Target { kind: by.kind, namespace: Some(namespace), id: Some(by.id) };
            facts.decide(Action::Read, &target).allowed
        })
        .map(|by| Resolved { id: occ_model::id::AgentId::from_uuid(by.id).to_string(), name: by.name.clone() })
        .collect()
}

/// Bindings by the names of the Secrets; by id where a Secret is gone.
pub(crate) fn by_name(bindings: &[Binding], names: &HashMap<SecretId, Name>) -> Vec<SecretBinding> {
    bindings
        .iter()
        .map(|binding| SecretBinding {
            pointer: binding.pointer.clone(),
            secret: names
                .get(&binding.secret)
                .map_or(Selector::Id(binding.secret), |name| Selector::Name(name.clone())),
        })
        .collect()
}

/// What of a Configuration people edit.
pub(crate) async fn draft_of(on: &mut impl Conn, row: &ConfigurationRow) -> Result<ConfigurationDraft> {
    let bound: Vec<_> = row.bindings.iter().map(|binding| binding.secret).collect();
    let names = secret::names(on, &bound).await?;
    Ok(ConfigurationDraft {
        display_name: row.meta.display_name.clone(),
        description: row.meta.description.clone(),
        labels: row.meta.labels.clone(),
        values: row.values.clone(),
        secret_bindings: by_name(&row.bindings, &names),
    })
}

/// What may be written at `pointer` of a document, for the editor.
pub async fn complete(cx: &Cx, namespace: &Selector<NamespaceId>, pointer: &str) -> Result<Vec<Completion>> {
    place::namespace(cx, &operation::CONFIGURATION_VALIDATE, namespace).await?;
    document::complete(cx, pointer).await
}

/// Whether a document could be saved, for the editor. Stores nothing.
pub async fn validate(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    request: CheckConfiguration,
) -> Result<ConfigurationCheck> {
    let found = place::namespace(cx, &operation::CONFIGURATION_VALIDATE, namespace).await?;
    let facts = cx.facts().await?;
    let mut errors = document::check(cx, &request.values, &request.secret_bindings).await?;
    let mut on = cx.read().await?;
    let (_, unusable) = document::resolve(&mut on, &facts, found.namespace.id, &request.secret_bindings, &[]).await?;
    errors.extend(unusable);
    errors.truncate(Problem::MAX_ERRORS);
    let advice = occ_openclaw::document::advice(&request.values);
    Ok(ConfigurationCheck { valid: errors.is_empty(), errors, advice })
}
