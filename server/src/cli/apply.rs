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
    /// Let each Agent of the file use the Secrets that it names here: a reference by itself grants nothing.
    #[arg(long)]
    grant: bool,
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
    let grants = if args.grant { grants(&documents) } else { Vec::new() };
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
    if !report.converged {
        return Err(Failure::NotReached("some documents could not be applied; see above".to_owned()).into());
    }
    if mode != Mode::Diff {
        for Grant { secret, agent } in grants {
            let path = format!("/namespaces/{namespace}/secrets/{secret}/consumers/{agent}");
            client.send(Method::PUT, &path, None).await?;
            println!("{:<10} {:<14} {secret} to {agent}", "granted", "Secret");
        }
    }
    Ok(())
}

/// An Agent that may use a Secret.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    secret: String,
    agent: String,
}

/// What the Agents of the file name: their model key, and the Secrets of their Configuration where that is in the file too.
fn grants(documents: &[Value]) -> Vec<Grant> {
    let of_kind = |kind: DocumentKind| documents.iter().filter(move |document| document["kind"] == kind.as_str());
    let mut grants = Vec::new();
    for agent in of_kind(DocumentKind::Agent) {
        let Some(name) = agent["name"].as_str() else { continue };
        let configuration = of_kind(DocumentKind::Configuration).find(|c| c["name"] == agent["configuration"]);
        let bindings = configuration.and_then(|c| c["secretBindings"].as_array()).into_iter().flatten();
        let secrets = bindings.map(|binding| &binding["secret"]).chain([&agent["harnessAuth"]["apiKey"]]);
        grants.extend(secrets.filter_map(|s| Some(Grant { secret: s.as_str()?.to_owned(), agent: name.to_owned() })));
    }
    grants.sort();
    grants.dedup();
    grants
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_those_that_the_agents_of_the_file_name() {
        let documents = [
            json!({"kind": "Secret", "name": "other"}),
            json!({"kind": "Configuration", "name": "c", "secretBindings": [{"pointer": "/x", "secret": "token"}]}),
            json!({"kind": "Agent", "name": "a", "configuration": "c", "harnessAuth": {"provider": "p", "apiKey": "key"}}),
            json!({"kind": "Agent", "name": "b", "configuration": "elsewhere"}),
        ];
        let grant = |secret: &str| Grant { secret: secret.to_owned(), agent: "a".to_owned() };
        assert_eq!(grants(&documents), [grant("key"), grant("token")]);
    }
}
