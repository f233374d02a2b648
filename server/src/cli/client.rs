//! The API's client of the command line: where the server is, with which key, and how a problem is shown.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use occ_model::name::Name;
use occ_model::problem::{Code, Problem};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
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
    /// What was sent may have happened: its answer got lost (I17).
    #[error("the outcome is not known: {what}")]
    Unknown {
        /// What was sent, and how its answer got lost.
        what: String,
        /// With which idempotency key, where the server takes one.
        key: Option<String>,
    },
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
        Some(unknown @ Failure::Unknown { key, .. }) => {
            eprintln!("{unknown}");
            if let Some(key) = key {
                eprintln!("  it was sent twice with the Idempotency-Key {key}, so it happened once or not at all");
            }
            eprintln!("  next: look whether it happened before you do it again");
            ExitCode::from(4)
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

/// A connection is there by then.
const CONNECT: Duration = Duration::from_secs(5);
/// A whole answer is there by then.
const ANSWER: Duration = Duration::from_mins(1);
/// A stream has begun by then: the server gives a turn five minutes.
const BEGIN: Duration = Duration::from_mins(6);

/// A client of the API.
pub struct Client {
    http: reqwest::Client,
    base: String,
    key: SecretString,
    patience: Duration,
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    body: Vec<u8>,
}

impl Answer {
    fn problem(&self) -> Option<Problem> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The answer, where it is no refusal.
    fn read(self) -> anyhow::Result<Self> {
        if self.status.is_success() {
            return Ok(self);
        }
        let status = self.status;
        let problem = self.problem().with_context(|| format!("the server answered {status} without a problem"))?;
        Err(Failure::Refused(Box::new(problem)).into())
    }
}

/// An answer that did not come.
struct Lost {
    /// Nothing can have happened: there was no connection.
    unsent: bool,
    cause: anyhow::Error,
}

fn unknown(method: &Method, path: &str, lost: &Lost, key: Option<String>) -> anyhow::Error {
    Failure::Unknown { what: format!("no answer to {method} {path} ({})", lost.cause), key }.into()
}

impl Lost {
    fn of(error: reqwest::Error) -> Self {
        Self { unsent: error.is_connect() || error.is_builder(), cause: error.into() }
    }
}

impl Client {
    /// For this target.
    pub fn new(config: &Config, target: &Target) -> anyhow::Result<Self> {
        let (url, key) = target.resolve(config)?;
        Self::to(&url, key)
    }

    /// For this address and key.
    pub fn to(url: &Url, key: SecretString) -> anyhow::Result<Self> {
        let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
        let http = builder.connect_timeout(CONNECT).build()?;
        Ok(Self { http, base: url.as_str().trim_end_matches('/').to_owned(), key, patience: ANSWER })
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> RequestBuilder {
        let request =
            self.http.request(method, format!("{}/api/v1{path}", self.base)).bearer_auth(self.key.expose_secret());
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    /// Sends it; a problem becomes [`Failure::Refused`]. A POST carries an idempotency key: where its answer gets lost it is sent
    /// once more with the same key, which finds what happened. What is still not known then is [`Failure::Unknown`] (I17).
    pub async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Answer> {
        let key = (method == Method::POST).then(|| uuid::Uuid::now_v7().simple().to_string());
        let first = match self.once(&method, path, body, key.as_deref()).await {
            Ok(answer) => return answer.read(),
            Err(lost) => lost,
        };
        let changes = method != Method::GET && !path.contains("dryRun=true");
        if first.unsent || !changes {
            return Err(self.no_answer(first.cause));
        }
        if key.is_some() {
            match self.once(&method, path, body, key.as_deref()).await {
                Ok(answer) => return answer.read(),
                Err(lost) => tracing::debug!(error = %lost.cause, "the second answer got lost too"),
            }
        }
        Err(unknown(&method, path, &first, key))
    }

    /// One try, to the last byte of its answer.
    async fn once(&self, method: &Method, path: &str, body: Option<&Value>, key: Option<&str>) -> Result<Answer, Lost> {
        let mut request = self.request(method.clone(), path, body).timeout(self.patience);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let response = request.send().await.map_err(Lost::of)?;
        let status = response.status();
        let body = response.bytes().await.map_err(Lost::of)?;
        let answer = Answer { status, body: body.to_vec() };
        if status.is_server_error() && answer.problem().is_none() {
            // Somebody between: what the server made of it is not known.
            let cause = anyhow::anyhow!("{status} without a problem");
            return Err(Lost { unsent: false, cause });
        }
        Ok(answer)
    }

    /// Sends what is answered by a stream, which may go on for ever. Never sent twice: no key would make two of one turn.
    pub async fn stream(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Response> {
        let sent = self.request(method.clone(), path, body).send();
        let sent = match tokio::time::timeout(BEGIN, sent).await {
            Ok(sent) => sent.map_err(Lost::of),
            Err(elapsed) => Err(Lost { unsent: false, cause: elapsed.into() }),
        };
        let response = match sent {
            Ok(response) if response.status().is_success() => return Ok(response),
            Ok(response) => response,
            Err(lost) if lost.unsent || method == Method::GET => return Err(self.no_answer(lost.cause)),
            Err(lost) => return Err(unknown(&method, path, &lost, None)),
        };
        let status = response.status();
        let body = tokio::time::timeout(self.patience, response.bytes()).await??.to_vec();
        let refused = Answer { status, body }.read().err();
        Err(refused.unwrap_or_else(|| anyhow::anyhow!("the server answered {status}")))
    }

    fn no_answer(&self, cause: anyhow::Error) -> anyhow::Error {
        let next = "start it with `make up` or `occ serve`; `occ doctor` says what is wrong with this machine";
        cause.context(format!("the server does not answer at {}\n  next: {next}", self.base))
    }

    /// Sends it and reads the answer.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<T> {
        let answer = self.send(method, path, body).await?;
        serde_json::from_slice(&answer.body).context("the server's answer cannot be read")
    }

    /// Reads.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.call(Method::GET, path, None).await
    }
}
