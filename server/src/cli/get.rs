//! `occ get`, `occ describe`

use occ_model::page::Page;
use serde_json::Value;

use super::client::{Client, Target};
use super::output::{self, Columns, Output};
use super::resource::ResourceKind;
use crate::config::Config;

/// Arguments of `occ get` and `occ describe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// namespace, configuration, secret, agent or work.
    kind: ResourceKind,
    /// Name or id; absent: the list.
    name: Option<String>,
    /// The Namespace, by name or id.
    #[arg(short, long, env = "OCC_NAMESPACE")]
    namespace: Option<String>,
    /// Only what has these labels.
    #[arg(short = 'l', long)]
    selector: Option<String>,
    /// How it is printed.
    #[arg(short, long, value_enum)]
    output: Option<Output>,
    #[command(flatten)]
    target: Target,
}

fn columns(kind: ResourceKind) -> Columns {
    match kind {
        ResourceKind::Namespace => {
            &[("NAME", "/name"), ("STATUS", "/status"), ("AGENTS", "/usage/agents"), ("ID", "/id")]
        }
        ResourceKind::Configuration => {
            &[("NAME", "/name"), ("GENERATION", "/generation"), ("UPDATED", "/updatedAt"), ("ID", "/id")]
        }
        ResourceKind::Secret => {
            &[("NAME", "/name"), ("VERSION", "/currentVersion"), ("SET", "/valueSetAt"), ("ID", "/id")]
        }
        ResourceKind::Agent => &[
            ("NAME", "/name"),
            ("MODE", "/executionMode"),
            ("HEALTH", "/health/state"),
            ("REVISION", "/activeRevision/number"),
            ("ROUTE", "/routeState"),
            ("DEPLOYMENT", "/deployment/phase"),
            ("ID", "/id"),
        ],
        ResourceKind::Work => {
            &[("ID", "/id"), ("KIND", "/kind"), ("STATE", "/state"), ("ATTEMPTS", "/attempts"), ("ERROR", "/lastError")]
        }
    }
}

/// Lists, or shows one; `whole` shows everything of it.
pub async fn run(config: &Config, args: &Args, whole: bool) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let output = args.output.unwrap_or(if whole { Output::Yaml } else { Output::Table });
    if let Some(name) = &args.name {
        let value: Value = client.get(&args.kind.path(args.namespace.as_deref(), name)?).await?;
        return output::document(output, columns(args.kind), &value);
    }
    let path = args.kind.collection(args.namespace.as_deref())?;
    output::items(output, columns(args.kind), &all(&client, &path, args.selector.as_deref()).await?)
}

/// Every page.
async fn all(client: &Client, path: &str, selector: Option<&str>) -> anyhow::Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", "200");
        if let Some(selector) = selector {
            query.append_pair("labelSelector", selector);
        }
        if let Some(cursor) = &cursor {
            query.append_pair("cursor", cursor);
        }
        let page: Page<Value> = client.get(&format!("{path}?{}", query.finish())).await?;
        items.extend(page.items);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return Ok(items),
        }
    }
}
