//! The API's client of the command line: where the server is, with which key, and how a problem is shown.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use occ_model::problem::{Code, Problem};
use reqwest::{Method, RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::Config;

/// Where the server is and with which key one comes.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    /// The server; default: the one of this machine's configuration.
    #[arg(long, env = "OCC_URL", global = true, value_name = "URL")]
    url: Option<url::Url>,
    /// File with a service key; default: the one that `occ init` wrote.
    #[arg(long, env = "OCC_KEY_FILE", global = true, value_name = "FILE")]
    key_file: Option<PathBuf>,
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
    match error.downcast_ref::<Failure>() {
        Some(Failure::Refused(problem)) => {
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
        Some(Failure::NotReached(what)) => {
            eprintln!("{what}");
            ExitCode::from(5)
        }
        None => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  because: {cause}");
            }
            ExitCode::FAILURE
        }
    }
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
        let base = target.url.as_ref().map_or_else(
            || format!("http://{}", config.server.listen),
            |url| url.as_str().trim_end_matches('/').to_owned(),
        );
        let file = target.key_file.clone().unwrap_or_else(|| config.data_dir().join("service-key"));
        let key = std::fs::read_to_string(&file).with_context(|| {
            format!("no service key in {}: run `occ init`, or name another with --key-file", file.display())
        })?;
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
        Ok(Self { http, base, key: key.trim().to_owned().into() })
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
