//! The kept generations of a Configuration.

use occ_model::configuration::ConfigurationGeneration;
use occ_model::deployment::DiffEntry;
use occ_model::id::{ConfigurationId, NamespaceId};
use occ_model::operation;
use occ_model::page::Page;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_store::configuration::{self as store, ConfigurationRow};
use occ_store::{Conn, secret};
use serde_json::json;

use crate::configuration_view::by_name;
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place;

type In = Selector<NamespaceId>;
type Of = Selector<ConfigurationId>;

/// The kept generations of the document, newest first, without their documents. One page holds them all.
pub async fn generations(cx: &Cx, namespace: &In, configuration: &Of) -> Result<Page<ConfigurationGeneration>> {
    let operation = &operation::CONFIGURATION_GENERATIONS;
    let found = place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    let rows = store::generations(&mut cx.read().await?, found.row.id).await?;
    let items = rows
        .into_iter()
        .map(|row| ConfigurationGeneration {
            generation: row.generation,
            created_at: row.created_at.into(),
            created_by: row.created_by,
            values: None,
            secret_bindings: None,
        })
        .collect();
    Ok(Page { items, next_cursor: None })
}

/// One kept generation with its document.
pub async fn generation(cx: &Cx, namespace: &In, configuration: &Of, number: i64) -> Result<ConfigurationGeneration> {
    let operation = &operation::CONFIGURATION_GENERATION;
    let found = place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    read(&mut cx.read().await?, found.row.id, number).await?.ok_or_else(Error::not_found)
}

async fn read(on: &mut impl Conn, id: ConfigurationId, number: i64) -> Result<Option<ConfigurationGeneration>> {
    let Some((row, values, bindings)) = store::generation(on, id, number).await? else { return Ok(None) };
    let bound: Vec<_> = bindings.iter().map(|binding| binding.secret).collect();
    let names = secret::names(on, &bound).await?;
    Ok(Some(ConfigurationGeneration {
        generation: row.generation,
        created_at: row.created_at.into(),
        created_by: row.created_by,
        values: Some(values),
        secret_bindings: Some(by_name(&bindings, &names)),
    }))
}

/// What differs between two kept generations: `to` is the newest when absent, `from` the one before `to`. Pointers begin with
/// `/values` or `/secretBindings`.
pub async fn diff(
    cx: &Cx,
    namespace: &In,
    configuration: &Of,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<Vec<DiffEntry>> {
    let operation = &operation::CONFIGURATION_DIFF;
    let found = place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    let mut on = cx.read().await?;
    let to = to.unwrap_or(found.row.document_generation);
    let before = if from.is_some() {
        from
    } else {
        let kept = store::generations(&mut on, found.row.id).await?;
        kept.into_iter().map(|row| row.generation).find(|generation| *generation < to)
    };
    let new = read(&mut on, found.row.id, to).await?.ok_or_else(gone)?;
    // The first generation is compared with nothing.
    let old = match before {
        Some(number) => json_of(&read(&mut on, found.row.id, number).await?.ok_or_else(gone)?),
        None => json!({}),
    };
    Ok(crate::diff::diff(&old, &json_of(&new)))
}

fn json_of(generation: &ConfigurationGeneration) -> serde_json::Value {
    json!({ "values": generation.values, "secretBindings": generation.secret_bindings })
}

fn gone() -> Error {
    Error::refused(Code::NotFound, "This generation does not exist or is not kept any more. List the kept ones.")
}
