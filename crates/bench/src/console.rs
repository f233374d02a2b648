//! What a browser waits for: the bytes of the first load as they are served, and the HTML of the console's main pages, whole.
//! The reference of the pages is the server's health answer, which renders nothing and asks nobody.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, COOKIE};

use crate::context::Context;
use crate::figure::{Figure, Goal, Report};
use crate::occ::Occ;
use crate::samples::Samples;

const NAME: &str = "console";
const PAGES: [&str; 14] = [
    "/console",
    "/console/namespaces",
    "/console/namespaces/demo",
    "/console/namespaces/demo/agents",
    "/console/namespaces/demo/agents/new",
    "/console/namespaces/demo/agents/embedded",
    "/console/namespaces/demo/agents/embedded/deployments",
    "/console/namespaces/demo/agents/embedded/configuration",
    "/console/namespaces/demo/agents/embedded/access",
    "/console/namespaces/demo/configurations",
    "/console/namespaces/demo/configurations/embedded",
    "/console/namespaces/demo/secrets",
    "/console/operations",
    "/console/account",
];

/// Measures.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let occ = Occ::start(context, "occ-c").await?;
    occ.apply(include_str!("../../../docs/examples/demo.yaml")).await?;
    pages(&occ, context, report).await?;
    first_load(&occ, report).await?;
    occ.stop().await
}

/// Sizes on the wire, of a client that takes brotli.
#[expect(clippy::cast_precision_loss, reason = "some kilobytes")]
async fn first_load(occ: &Occ, report: &mut Report) -> anyhow::Result<()> {
    for (file, goal) in [("console.wasm", Some(Goal::AtMost(350.0))), ("console.js", None), ("console.css", None)] {
        let request = occ.http().get(occ.url(&format!("/pkg/{file}")));
        let answer = request.header(ACCEPT_ENCODING, "br").send().await?.error_for_status()?;
        let brotli = answer.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding == "br");
        ensure!(brotli, "{file} is not served compressed: build the site with `cargo xtask site --release`");
        let size = answer.bytes().await?.len() as f64 / 1e3;
        let mut figure = Figure::new(NAME, format!("{file} as served (brotli)"), size, "kB");
        figure.goal = goal;
        report.add(figure);
    }
    Ok(())
}

async fn pages(occ: &Occ, context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let cookie = occ.cookie().await?;
    let (mut all, mut text) = (Samples::default(), String::new());
    let mut slowest: (f64, &str) = (0.0, "");
    for page in PAGES {
        let mut times = Samples::default();
        for _ in 0..context.amount(100, 5) {
            let begun = Instant::now();
            let request = occ.http().get(occ.url(page)).header(COOKIE, &cookie).header(ACCEPT, "text/html");
            let answer = request.send().await?;
            ensure!(answer.status() == 200, "{page} answered {}", answer.status());
            let html = answer.text().await?;
            times.push(begun.elapsed());
            ensure!(html.contains("</html>"), "{page} is not whole");
        }
        let _ = writeln!(text, "  {page:<58} p50 {:>7.1} ms, p95 {:>7.1} ms", times.ms(50.0), times.ms(95.0));
        if times.ms(95.0) > slowest.0 {
            slowest = (times.ms(95.0), page);
        }
        all.extend(times.into_times());
    }
    let mut health = Samples::default();
    for _ in 0..context.amount(200, 5) {
        let begun = Instant::now();
        occ.http().get(occ.url("/healthz")).send().await.context("/healthz")?.bytes().await?;
        health.push(begun.elapsed());
    }
    let figure = Figure::new(NAME, format!("HTML of {} pages, p95", PAGES.len()), all.ms(95.0), "ms");
    report.add(figure.beside("/healthz", health.ms(95.0)).goal(Goal::AtMost(100.0)));
    let figure = Figure::new(NAME, format!("HTML of the slowest ({}), p95", slowest.1), slowest.0, "ms");
    report.add(figure.goal(Goal::AtMost(100.0)));
    report.profile("Pages", text);
    Ok(())
}
