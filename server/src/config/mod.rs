//! `occ.toml`: one file, a closed schema, every key documented. An unknown key stops the start with its position.
//!
//! Order: defaults, then the file (`--config`, `OCC_CONFIG`, or `<data dir>/occ.toml` where it exists), then `OCC__SECTION__KEY`
//! from the environment, then the short forms `OCC_DATA_DIR`, `OCC_DATABASE_URL`, `OCC_DATABASE_OWNER_URL`, `OCC_RUNTIMES_DIR`,
//! `OCC_PORT`. In the file, `${NAME}` inside a text stands for a variable of the environment that must be set, and `$${` for `${`.
//! Secrets come only from files or the environment.

mod error;
mod load;
mod origin;
mod proxy;
mod rules;
mod schema;
mod text;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

pub use load::load;
pub use proxy::Proxy;
pub use schema::schema;

/// The whole configuration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where data lives. Default: `$XDG_DATA_HOME/occ` or `~/.local/share/occ`.
    pub data_dir: Option<PathBuf>,
    /// The listener.
    pub server: Server,
    /// The system of record.
    pub database: Database,
    /// Sessions of people.
    pub session: Session,
    /// The worker.
    pub controller: Controller,
    /// The `local` compute driver.
    pub local: Local,
    /// Rules for model credentials.
    pub model: Model,
    /// Logs of this program.
    pub log: Log,
    /// Measures of this program.
    pub metrics: Metrics,
    /// Traces of requests and of the work that they ask for.
    pub traces: Traces,
}

/// `[server]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// The URL people use: decides cookie, Origin and Host. Needed unless on loopback.
    pub public_url: Option<Url>,
    /// Certificate and key; absent: plain HTTP, for loopback or behind a proxy.
    pub tls: Option<Tls>,
    /// Addresses or networks of the TLS proxies in front. Only they are believed when they say where a request comes from
    /// (`X-Forwarded-For`).
    #[schemars(with = "Vec<String>")]
    pub trusted_proxies: Vec<Proxy>,
    /// Folder of the built console. Default: `site` in the data directory, else beside the program.
    pub site: Option<PathBuf>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7171)),
            public_url: None,
            tls: None,
            trusted_proxies: Vec::new(),
            site: None,
        }
    }
}

/// `[server.tls]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate and its chain, PEM, the server's own first.
    pub cert_file: PathBuf,
    /// Its private key, PEM, unencrypted.
    pub key_file: PathBuf,
}

/// `[database]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// A PostgreSQL of yours, application role; absent: the embedded one under the data directory. A password does not belong into
    /// this file: use `url_file` or `OCC_DATABASE_URL` for one.
    pub url: Option<String>,
    /// File that holds the URL instead.
    pub url_file: Option<PathBuf>,
    /// The same, owner role, for migrate and init; absent: the same as `url`.
    pub owner_url: Option<String>,
    /// File that holds the owner's URL instead.
    pub owner_url_file: Option<PathBuf>,
    /// Connections at most, 2 to 1000.
    #[schemars(range(min = 2, max = 1000))]
    pub connections: u32,
}

impl Default for Database {
    fn default() -> Self {
        Self { url: None, url_file: None, owner_url: None, owner_url_file: None, connections: 16 }
    }
}

/// `[session]`
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Session {
    /// Minutes from sign-in to the end, at most 480.
    #[schemars(range(min = 1, max = 480))]
    pub absolute_minutes: u32,
    /// Minutes without use, at most 60.
    #[schemars(range(min = 1, max = 60))]
    pub idle_minutes: u32,
}

impl Default for Session {
    fn default() -> Self {
        Self { absolute_minutes: 480, idle_minutes: 60 }
    }
}

/// `[controller]`
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Controller {
    /// Work items at the same time in this process, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    pub slots: usize,
    /// Minutes from admission in which a deployment must serve, 1 to 1440.
    #[schemars(range(min = 1, max = 1440))]
    pub deployment_deadline_minutes: u32,
    /// Seconds that running turns may finish in when a revision is replaced or stopped, at most 3600.
    #[schemars(range(max = 3600))]
    pub drain_grace_seconds: u32,
    /// Days that finished work is kept and shown, 1 to 3650.
    #[schemars(range(min = 1, max = 3650))]
    pub keep_work_days: u32,
}

impl Default for Controller {
    fn default() -> Self {
        Self { slots: 8, deployment_deadline_minutes: 15, drain_grace_seconds: 60, keep_work_days: 30 }
    }
}

/// How the `local` driver isolates Agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Two walls of bubblewrap; without it no Agent starts.
    #[default]
    Bubblewrap,
    /// None: every page shows it.
    None,
}

/// `[local]`
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Local {
    /// `bubblewrap` or `none`.
    pub isolation: Isolation,
    /// Where the pinned runtimes are installed. Default: `$XDG_CACHE_HOME/occ/runtimes` or `~/.cache/occ/runtimes`.
    pub runtimes_dir: Option<PathBuf>,
}

/// `[model]`
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// A credential that the provider cannot prove is accepted, and said so in the deployment.
    pub accept_unproven: bool,
}

impl Default for Model {
    fn default() -> Self {
        Self { accept_unproven: true }
    }
}

/// Form of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// `[log]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` or `json`.
    pub format: LogFormat,
    /// Filter: `info`, `occ=debug,info`, …
    pub filter: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info,sqlx=warn,tower_sessions=warn".to_owned() }
    }
}

/// `[metrics]`
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Address and port of a listener of their own, `/metrics` in the Prometheus text format. Absent: nothing is measured. It asks
    /// nobody who they are, so let only the collector reach it.
    pub listen: Option<SocketAddr>,
    /// Says which Namespace, where a measure is about one.
    pub per_namespace: bool,
}

/// `[traces]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Traces {
    /// Where an OTLP collector takes traces over HTTP, such as `http://127.0.0.1:4318/v1/traces`. Absent: nothing is traced.
    pub otlp_endpoint: Option<Url>,
    /// The share of requests that are traced, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
}

impl Default for Traces {
    fn default() -> Self {
        Self { otlp_endpoint: None, share: 1.0 }
    }
}

impl Server {
    /// Where this machine's own programs reach it: with TLS by the name that its certificate has.
    pub fn local_url(&self) -> Result<Url, url::ParseError> {
        if let (Some(_), Some(url)) = (&self.tls, &self.public_url) {
            return url.origin().ascii_serialization().parse();
        }
        let mut address = self.listen;
        if address.ip().is_unspecified() {
            address.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
        }
        format!("http://{address}").parse()
    }
}

impl Config {
    /// The data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(|| home("XDG_DATA_HOME", ".local/share").join("occ"))
    }

    /// The runtimes' prefix.
    pub fn runtimes_dir(&self) -> PathBuf {
        self.local.runtimes_dir.clone().unwrap_or_else(|| home("XDG_CACHE_HOME", ".cache").join("occ/runtimes"))
    }
}

/// A base folder of the person: `variable` where it is an absolute path, else `fallback` in their home.
pub fn home(variable: &str, fallback: &str) -> PathBuf {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(fallback)))
        .unwrap_or_else(|| PathBuf::from("/var/lib"))
}
