//! `occ-bench`: measures the product beside named references, in one run on one machine (`make bench`, docs/benchmarks.md).
//!
//! Each benchmark is one module with a `run` that adds figures to the report: what was measured, of OCC and of its reference, with
//! the goal. Nothing here asserts a time; a missed goal is shown as missed, with the profile that says why where one was taken.

mod console;
mod context;
mod database;
mod decisions;
mod deploys;
mod figure;
mod idle;
mod machine;
mod memory;
mod occ;
mod pages;
mod queue;
mod samples;
mod serving;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Parser;

use context::Context;
use figure::Report;

/// Measures OCC beside its references.
#[derive(Parser)]
#[command(name = "occ-bench")]
struct Arguments {
    /// Only these; all when none is named.
    names: Vec<String>,
    /// An empty folder for databases and data; short, since sockets lie in it.
    #[arg(long)]
    dir: PathBuf,
    /// The release build of `occ`, for what is measured of the running program.
    #[arg(long)]
    occ: PathBuf,
    /// The release build of the site.
    #[arg(long)]
    site: PathBuf,
    /// Where the figures go as JSON.
    #[arg(long)]
    json: PathBuf,
    /// Small amounts and short times: shows that it runs, measures nothing.
    #[arg(long)]
    quick: bool,
}

/// Every benchmark, in the order in which they run.
const ALL: [&str; 8] = ["decisions", "deploys", "queue", "pages", "console", "serving", "memory", "idle"];

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let Arguments { names, dir, occ, site, json, quick } = Arguments::parse();
    // One TLS provider for everything; a second call would only say that it is there.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    if let Some(unknown) = names.iter().find(|name| !ALL.contains(&name.as_str())) {
        bail!("there is no benchmark {unknown}; choose of: {}", ALL.join(" "));
    }
    let context = Context { dir, occ, site, quick };
    let mut report = Report::new(machine::describe(quick));
    let wanted = ALL.iter().filter(|name| names.is_empty() || names.iter().any(|wanted| wanted == *name));
    let done = tokio::select! {
        done = every(wanted, &context, &mut report, &json) => done,
        () = asked_to_stop() => Err(anyhow::anyhow!("stopped")),
    };
    database::stop_all().await;
    println!("{}", table::text(&report));
    done?;
    Ok(if report.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// One after the other, each written down as soon as it is known.
async fn every(
    names: impl Iterator<Item = &&'static str>,
    context: &Context,
    report: &mut Report,
    json: &Path,
) -> anyhow::Result<()> {
    for name in names {
        eprintln!("{name} …");
        if let Err(error) = one(name, context, report).await {
            report.broken(name, &error);
        }
        std::fs::write(json, serde_json::to_vec_pretty(&*report)?)
            .with_context(|| format!("cannot write {}", json.display()))?;
    }
    Ok(())
}

async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

async fn one(name: &str, context: &Context, report: &mut Report) -> anyhow::Result<()> {
    match name {
        "decisions" => decisions::run(context, report),
        "deploys" => Box::pin(deploys::run(context, report)).await,
        "queue" => Box::pin(queue::run(context, report)).await,
        "pages" => Box::pin(pages::run(context, report)).await,
        "console" => Box::pin(console::run(context, report)).await,
        "serving" => Box::pin(serving::run(context, report)).await,
        "memory" => Box::pin(memory::run(context, report)).await,
        "idle" => Box::pin(idle::run(context, report)).await,
        _ => Ok(()),
    }
}
