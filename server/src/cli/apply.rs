//! `occ create`, `occ apply`, `occ diff`: YAML or JSON documents from a file or standard input.

use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, bail};
use occ_model::apply::{ApplyOutcome, ApplyReport, DocumentKind};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, Failure, Target};
use crate::config::Config;

/// Arguments of `occ create`, `occ apply` and `occ diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of YAML or JSON documents; `-` is standard input.
    #[arg(short, long)]
    file: PathBuf,
    /// The Namespace; default: that of the file's Namespace document.
    #[arg(short, long, env = "OCC_NAMESPACE")]
    namespace: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// What is done with the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Make what is not there; what is there is refused.
    Create,
    /// Converge.
    Apply,
    /// Only show.
    Diff,
}

/// Sends the documents and prints what became of each.
pub async fn run(config: &Config, args: &Args, mode: Mode) -> anyhow::Result<()> {
    let documents = read(&args.file)?;
    let client = Client::new(config, &args.target)?;
    let namespace = match &args.namespace {
        Some(name) => name.clone(),
        None => documents
            .iter()
            .find(|document| document["kind"] == DocumentKind::Namespace.as_str())
            .and_then(|document| document["name"].as_str())
            .map(str::to_owned)
            .context("name the Namespace with -n, or put a Namespace document into the file")?,
    };
    let before = format!("/namespaces/{namespace}/apply?dryRun=true");
    let body = Value::Array(documents);
    if mode == Mode::Create {
        let plan: ApplyReport = client.call(Method::POST, &before, Some(&body)).await?;
        if let Some(taken) =
            plan.items.iter().find(|item| matches!(item.outcome, ApplyOutcome::Updated | ApplyOutcome::Unchanged))
        {
            bail!(
                "{} {} exists already; use `occ apply` to change it",
                kind(taken.kind),
                taken.name.as_deref().unwrap_or("?")
            );
        }
    }
    let path = if mode == Mode::Diff { before } else { format!("/namespaces/{namespace}/apply") };
    let report: ApplyReport = client.call(Method::POST, &path, Some(&body)).await?;
    for item in &report.items {
        println!("{:<10} {:<14} {}", item.outcome.as_str(), kind(item.kind), item.name.as_deref().unwrap_or("?"));
        if mode == Mode::Diff {
            for entry in &item.diff {
                println!("           {} {}: {} -> {}", entry.op, entry.pointer, json!(entry.old), json!(entry.new));
            }
        }
        if let Some(problem) = &item.problem {
            eprintln!("           {} ({}): {}", problem.title, problem.code, problem.detail);
            for place in &problem.errors {
                eprintln!("           at {}: {}", place.pointer, place.message);
            }
        }
    }
    if report.converged {
        Ok(())
    } else {
        Err(Failure::NotReached("some documents could not be applied; see above".to_owned()).into())
    }
}

fn kind(kind: Option<DocumentKind>) -> &'static str {
    kind.map_or("?", DocumentKind::as_str)
}

fn read(file: &PathBuf) -> anyhow::Result<Vec<Value>> {
    let text = if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        text
    } else {
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
    };
    let mut documents = Vec::new();
    for document in serde_yaml_ng::Deserializer::from_str(&text) {
        match Value::deserialize(document).context("the file is not valid YAML or JSON")? {
            Value::Null => {}
            Value::Array(list) => documents.extend(list),
            other => documents.push(other),
        }
    }
    if documents.is_empty() {
        bail!("the file has no documents");
    }
    Ok(documents)
}
