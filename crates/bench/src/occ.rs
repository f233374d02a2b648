//! The program as it ships: the release build of `occ` in a data folder of its own, with the PostgreSQL it brings along.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::context::Context;
use crate::database;

/// One installation.
pub struct Occ {
    program: PathBuf,
    data: PathBuf,
    site: PathBuf,
    port: u16,
    serving: Option<Child>,
    http: reqwest::Client,
}

impl Occ {
    /// Initialised and serving.
    pub async fn start(context: &Context, name: &str) -> anyhow::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        // Many requests one after the other, each answer read to its end; redirects are answers.
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
        let mut occ = Self {
            program: context.occ.clone(),
            data: context.dir.join(name),
            site: context.site.clone(),
            port,
            serving: None,
            http,
        };
        database::note(occ.data.join("postgres"));
        occ.run(&["init"]).await?;
        let log = std::fs::File::create(context.dir.join(format!("{name}.log")))?;
        let mut command = occ.command(&["serve"]);
        occ.serving = Some(command.stdout(Stdio::null()).stderr(log).kill_on_drop(true).spawn()?);
        let begun = Instant::now();
        while !occ.http.get(occ.url("/readyz")).send().await.is_ok_and(|answer| answer.status().is_success()) {
            if begun.elapsed() > Duration::from_mins(1) {
                bail!("occ does not become ready");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(occ)
    }

    /// `occ` with these words and nothing of this process's configuration.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let foreign = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OCC_"));
        for (name, _) in foreign.filter(|(name, _)| name != "OCC_PG_BUNDLED" && name != "OCC_RUNTIMES_DIR") {
            command.env_remove(name);
        }
        command
            .env("OCC_DATA_DIR", &self.data)
            .env("OCC_PORT", self.port.to_string())
            .env("OCC__SERVER__SITE", &self.site);
        command.env("OCC_URL", format!("http://127.0.0.1:{}", self.port)).env("NO_COLOR", "1");
        command.args(words).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end and answers what it printed.
    pub async fn run(&self, words: &[&str]) -> anyhow::Result<String> {
        let output = self.command(words).output().await.context("cannot run occ")?;
        if !output.status.success() {
            bail!("occ {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// An address of its.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// For requests.
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Applies resources.
    pub async fn apply(&self, text: &str) -> anyhow::Result<()> {
        let file = self.data.join("bench.yaml");
        std::fs::write(&file, text)?;
        self.run(&["apply", "--grant", "-f", &file.to_string_lossy()]).await?;
        Ok(())
    }

    /// Waits until a Namespace takes Agents.
    pub async fn namespace_ready(&self, name: &str) -> anyhow::Result<()> {
        let begun = Instant::now();
        while self.api(reqwest::Method::GET, &format!("/namespaces/{name}"), None).await?["status"] != "ready" {
            if begun.elapsed() > Duration::from_mins(1) {
                bail!("the Namespace {name} does not become ready");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// Calls the REST API as the Installation's service principal.
    pub async fn api(&self, method: reqwest::Method, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let key = std::fs::read_to_string(self.data.join("service-key"))?;
        let request = self.http.request(method, self.url(&format!("/api/v1{path}"))).bearer_auth(key.trim());
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = request.send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        if !status.is_success() {
            bail!("{path} answered {status}: {text}");
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// Signs the administrator in and answers the cookie.
    pub async fn cookie(&self) -> anyhow::Result<String> {
        let link = self.run(&["signin-link"]).await?;
        let answer = self.http.post(link.trim()).header("origin", self.url("")).send().await?;
        let cookie = answer.headers().get("set-cookie").context("signing in gave no session")?.to_str()?;
        Ok(cookie.split(';').next().unwrap_or_default().to_owned())
    }

    /// Resident memory of `occ serve`, in MB of a million bytes.
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    pub fn resident(&self) -> anyhow::Result<f64> {
        let pid = self.serving.as_ref().and_then(Child::id).context("occ does not run")?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib as f64 * 1_024.0 / 1e6)
    }

    /// A text that says where its memory lies.
    pub fn memory(&self) -> anyhow::Result<String> {
        let pid = self.serving.as_ref().and_then(Child::id).context("occ does not run")?;
        let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
        let wanted = ["Rss", "Pss_Anon", "Pss_File", "Private_Dirty"];
        let lines = rollup.lines().filter(|line| wanted.iter().any(|wanted| line.starts_with(wanted)));
        Ok(crate::table::indented(lines))
    }

    /// Ends the server and its PostgreSQL.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        if let Some(mut serving) = self.serving.take() {
            serving.kill().await?;
        }
        self.run(&["db", "stop"]).await?;
        Ok(())
    }
}
