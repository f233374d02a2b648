//! The API's client of the command line: where the server is, with which key, and how a problem is shown.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use occ_model::name::Name;
use occ_model::problem::{Code, Problem};
use reqwest::{Method, RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::context::{Contexts, Server, check_address};
use crate::authn::origin::is_loopback;
use crate::config::Config;

/// Where the server is and with which key one comes: a remembered server, or an address and a key's file, or (by default) the
/// current remembered one, else this machine's own.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    /// A server that `occ login` remembered; default: the current one.
    #[arg(long, env = "OCC_CONTEXT", global = true, value_name = "NAME")]
    context: Option<Name>,
    /// The server's address; default: the one of this machine's configuration.
    #[arg(long, env = "OCC_URL", global = true, value_name = "URL")]
    url: Option<Url>,
    /// File with a service key; default: the one that `occ init` wrote.
    #[arg(long, env = "OCC_KEY_FILE", global = true, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Target {
    /// The remembered server that is meant, if one is.
    fn remembered(&self) -> anyhow::Result<Option<Server>> {
        let given = self.url.is_some() || self.key_file.is_some();
        match &self.context {
            // The key of one server must not go to another.
            Some(name) if given => bail!(
                "the context {name} says where the server is and with which key: leave --url and --key-file (OCC_URL, OCC_KEY_FILE) out"
            ),
            Some(name) => Contexts::open()?.find(name).map(Some),
            None if given => Ok(None),
            None => Contexts::open()?.current(),
        }
    }

    /// Address and key.
    fn resolve(&self, config: &Config) -> anyhow::Result<(Url, SecretString)> {
        if let Some(server) = self.remembered()? {
            let key = server.key()?;
            return Ok((server.url, key));
        }
        let url = match &self.url {
            Some(url) => {
                check_address(url)?;
                if self.key_file.is_none() && !url.host_str().is_some_and(is_loopback) {
                    bail!("name the key for {url} with --key-file, or remember both with `occ login {url}`");
                }
                url.clone()
            }
            None => config.server.local_url().context("server.listen is no address")?,
        };
        let file = self.key_file.clone().unwrap_or_else(|| config.data_dir().join("service-key"));
        let key = std::fs::read_to_string(&file).with_context(|| {
            format!(
                "no service key in {}: run `occ init` here, `occ login` for another server, or name one with --key-file",
                file.display()
            )
        })?;
        Ok((url, key.trim().to_owned().into()))
    }
}

/// Why a command failed, where the exit code says more than "failed".
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server refused; the problem says why.
    #[error("{}", .0.title)]
    Refused(Box<Problem>),
    /// What was waited for did not come.
    #[error("{0}")]
    NotReached(String),
}

/// Prints what went wrong and gives the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(occ_control::Error::Refused(problem)) = error.downcast_ref() {
        return refused(problem);
    }
    match error.downcast_ref::<Failure>() {
        Some(Failure::Refused(problem)) => refused(problem),
        Some(Failure::NotReached(what)) => {
            eprintln!("{what}");
            ExitCode::from(5)
        }
        None => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  because: {cause}");
            }
            if let Some(next) = super::hint::next_step(error) {
                eprintln!("  next: {next}");
            }
            ExitCode::FAILURE
        }
    }
}

fn refused(problem: &Problem) -> ExitCode {
    eprintln!("refused: {} ({})", problem.title, problem.code);
    eprintln!("  {}", problem.detail);
    for place in &problem.errors {
        eprintln!("  at {}: {} ({})", place.pointer, place.message, place.code);
    }
    if let Some(id) = problem.request_id {
        eprintln!("  request {id}");
    }
    ExitCode::from(if problem.code == Code::UnknownOutcome { 4 } else { 3 })
}

/// A client of the API.
pub struct Client {
    http: reqwest::Client,
    base: String,
    key: SecretString,
}

impl Client {
    /// For this target.
    pub fn new(config: &Config, target: &Target) -> anyhow::Result<Self> {
        let (url, key) = target.resolve(config)?;
        Self::to(&url, key)
    }

    /// For this address and key.
    pub fn to(url: &Url, key: SecretString) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
        Ok(Self { http, base: url.as_str().trim_end_matches('/').to_owned(), key })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}/api/v1{path}", self.base)).bearer_auth(self.key.expose_secret())
    }

    /// Sends it; a problem becomes [`Failure::Refused`].
    pub async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Response> {
        let mut request = self.request(method.clone(), path);
        if method != Method::GET {
            // Sent once: a repetition after a lost answer finds what happened.
            request = request.header("idempotency-key", uuid::Uuid::now_v7().simple().to_string());
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.with_context(|| format!("the server does not answer at {}", self.base))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let problem: Problem =
            response.json().await.with_context(|| format!("the server answered {status} without a problem"))?;
        Err(Failure::Refused(Box::new(problem)).into())
    }

    /// Sends it and reads the answer.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<T> {
        self.send(method, path, body).await?.json().await.context("the server's answer cannot be read")
    }

    /// Reads.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.call(Method::GET, path, None).await
    }
}
