//! Reading the configuration: file, then environment, into one table, then into the closed schema.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::Config;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {path}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A key is unknown or a value is not valid; the text names the place.
    #[error("the configuration {path} is not valid:\n{message}")]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// What and where.
        message: String,
    },
    /// A variable of the environment does not fit.
    #[error("the environment variable {0} is not valid: {1}")]
    Variable(String, String),
    /// Keys that do not go together.
    #[error("{0}")]
    Rule(&'static str),
}

/// Short forms of the environment and the keys they set.
const SHORT: [(&str, &[&str]); 4] = [
    ("OCC_DATA_DIR", &["data_dir"]),
    ("OCC_DATABASE_URL", &["database", "url"]),
    ("OCC_DATABASE_OWNER_URL", &["database", "owner_url"]),
    ("OCC_RUNTIMES_DIR", &["local", "runtimes_dir"]),
];

/// Loads the configuration. `file`: as given by `--config`; it must exist then.
pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
    let named = file.map(Path::to_path_buf).or_else(|| std::env::var_os("OCC_CONFIG").map(PathBuf::from));
    let path = named.clone().unwrap_or_else(|| {
        let data = std::env::var_os("OCC_DATA_DIR").map_or_else(|| Config::default().data_dir(), PathBuf::from);
        data.join("occ.toml")
    });
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => String::new(),
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    let invalid = |error: &toml::de::Error| ConfigError::Invalid { path: path.clone(), message: error.to_string() };
    // First by itself, so that an error points into the file.
    toml::from_str::<Config>(&text).map_err(|e| invalid(&e))?;
    let mut table: Table = toml::from_str(&text).map_err(|e| invalid(&e))?;
    for (name, value) in std::env::vars() {
        if let Some(keys) = name.strip_prefix("OCC__") {
            let keys: Vec<String> = keys.split("__").map(str::to_ascii_lowercase).collect();
            set(&mut table, &keys, &name, &value)?;
        }
    }
    for (name, keys) in SHORT {
        if let Ok(value) = std::env::var(name) {
            let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
            put(&mut table, &keys, Value::String(value));
        }
    }
    let mut config = Config::deserialize(table).map_err(|e| invalid(&e))?;
    if let Ok(port) = std::env::var("OCC_PORT") {
        let port = port.parse().map_err(|_| ConfigError::Variable("OCC_PORT".into(), "not a port".into()))?;
        config.server.listen.set_port(port);
    }
    check(config)
}

/// Sets one key from the environment and checks the result at once, so that the error names the variable.
fn set(table: &mut Table, keys: &[String], name: &str, text: &str) -> Result<(), ConfigError> {
    let parsed = text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse().map(Value::Boolean));
    let candidates = parsed.into_iter().chain([Value::String(text.to_owned())]);
    let mut last = String::new();
    for value in candidates {
        let mut attempt = table.clone();
        put(&mut attempt, keys, value);
        match Config::deserialize(attempt.clone()) {
            Ok(_) => {
                *table = attempt;
                return Ok(());
            }
            Err(error) => error.message().clone_into(&mut last),
        }
    }
    Err(ConfigError::Variable(name.to_owned(), last))
}

fn put(table: &mut Table, keys: &[String], value: Value) {
    match keys {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let entry = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = entry {
                put(inner, rest, value);
            }
        }
    }
}

/// Rules between keys.
fn check(config: Config) -> Result<Config, ConfigError> {
    if !(1..=64).contains(&config.controller.slots) {
        return Err(ConfigError::Rule("controller.slots must be 1 to 64"));
    }
    if !(1..=480).contains(&config.session.absolute_minutes) || !(1..=60).contains(&config.session.idle_minutes) {
        return Err(ConfigError::Rule("session.absolute_minutes must be 1 to 480 and session.idle_minutes 1 to 60"));
    }
    let open = !config.server.listen.ip().is_loopback();
    let secure = config.server.public_url.as_ref().is_some_and(|url| url.scheme() == "https");
    if open && !secure {
        return Err(ConfigError::Rule(
            "server.listen is not on loopback and server.public_url is not https: browsers would drop the session cookie. \
             Either listen on 127.0.0.1, or put a TLS proxy in front and set server.public_url to its https address",
        ));
    }
    Ok(config)
}
