//! Reading the configuration: file, then environment, into one table, then into the closed schema.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::DeTable;
use toml::{Table, Value};

use super::error::{ConfigError, explain};
use super::origin::{Origins, Source};
use super::{Config, rules, text};

/// Variables of the environment. Those that are not UTF-8 are left out.
pub(super) type Environment = BTreeMap<String, String>;

/// Short forms of the environment and the keys they set. An empty one counts as not set.
const SHORT: [(&str, &str); 4] = [
    ("OCC_DATA_DIR", "data_dir"),
    ("OCC_DATABASE_URL", "database.url"),
    ("OCC_DATABASE_OWNER_URL", "database.owner_url"),
    ("OCC_RUNTIMES_DIR", "local.runtimes_dir"),
];

/// Loads the configuration. `file`: as given by `--config`; it must exist then.
pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
    let variables = std::env::vars_os();
    let text = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    load_with(file, &text.collect())
}

fn load_with(file: Option<&Path>, environment: &Environment) -> Result<Config, ConfigError> {
    let set = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let source =
        read(file.map(Path::to_path_buf).or_else(|| set("OCC_CONFIG").map(PathBuf::from)), set("OCC_DATA_DIR"))?;
    let (mut table, mut origins) = parse(&source, environment)?;
    for (name, value) in environment {
        if let Some(key) = name.strip_prefix("OCC__") {
            let key = key.replace("__", ".").to_ascii_lowercase();
            table = layer(&table, &key, name, value)?;
            origins.variable(&key, name);
        }
    }
    for (name, key) in SHORT {
        if let Some(value) = set(name) {
            table = layer(&table, key, name, value)?;
            origins.variable(key, name);
        }
    }
    let mut config: Config = serde_path_to_error::deserialize(table).map_err(|error| {
        let (what, next) = explain(error.inner().message());
        ConfigError::new(format!("{} (file and environment together)", error.path()), what, next)
    })?;
    if let Some(port) = set("OCC_PORT") {
        let port = port.parse().map_err(|_| {
            ConfigError::new("the environment variable OCC_PORT", "is not a port", "choose a number from 1 to 65535")
        })?;
        config.server.listen.set_port(port);
    }
    url_of_file(&mut config.database.url, config.database.url_file.as_deref(), "database.url", &origins)?;
    url_of_file(
        &mut config.database.owner_url,
        config.database.owner_url_file.as_deref(),
        "database.owner_url",
        &origins,
    )?;
    // The supervisors of Agents, which get them too, leave the working directory.
    absolute(&mut config.data_dir, "data_dir", &origins)?;
    absolute(&mut config.local.runtimes_dir, "local.runtimes_dir", &origins)?;
    rules::check(&config, &origins)?;
    Ok(config)
}

/// A folder that was written as seen from the working directory, as seen from everywhere.
fn absolute(folder: &mut Option<PathBuf>, key: &str, origins: &Origins) -> Result<(), ConfigError> {
    if let Some(written) = folder {
        *written = std::path::absolute(&*written).map_err(|error| {
            let what = format!("is no path: {error}");
            ConfigError::new(origins.of(key), what, "write the folder's absolute path")
        })?;
    }
    Ok(())
}

/// The file's text; a default file that is not there is empty.
fn read(named: Option<PathBuf>, data: Option<&String>) -> Result<Source, ConfigError> {
    let must_exist = named.is_some();
    let path =
        named.unwrap_or_else(|| data.map_or_else(|| Config::default().data_dir(), PathBuf::from).join("occ.toml"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Source { path, text }),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => Ok(Source { path, text: String::new() }),
        Err(error) => Err(ConfigError::new(
            path.display().to_string(),
            format!("the configuration cannot be read: {error}"),
            "correct the path (--config, OCC_CONFIG) or the file's permissions",
        )),
    }
}

/// The file's table, variables put in, once it has been read by itself: so a fault points into the file.
fn parse(source: &Source, environment: &Environment) -> Result<(Table, Origins), ConfigError> {
    let mut table = DeTable::parse(&source.text).map_err(|error| {
        let place = source.key_at(error.span(), "");
        ConfigError::new(place, error.message().trim(), "correct the line; the file is TOML (https://toml.io)")
    })?;
    let origins = Origins::of_file(source, table.get_ref());
    text::expand(table.get_mut(), "", source, environment)?;
    let reader = toml::Deserializer::from(table.clone());
    serde_path_to_error::deserialize::<_, Config>(reader).map_err(|error| {
        let key = error.path().to_string();
        let (what, next) = explain(error.inner().message());
        ConfigError::new(source.key_at(error.inner().span(), &key), what, next)
    })?;
    let table = Table::deserialize(toml::Deserializer::from(table))
        .map_err(|error| ConfigError::new(source.key_at(error.span(), ""), error.message(), "correct the line"))?;
    Ok((table, origins))
}

/// The table with one key set from the environment, checked at once so that a fault names the variable.
fn layer(table: &Table, key: &str, name: &str, text: &str) -> Result<Table, ConfigError> {
    let parsed = text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse().map(Value::Boolean));
    let candidates = parsed.into_iter().chain([Value::String(text.to_owned())]);
    let place = format!("the environment variable {name}");
    let mut last = None;
    for value in candidates {
        let mut attempt = table.clone();
        if !put(&mut attempt, key, value) {
            return Err(ConfigError::new(
                place,
                format!("there is no section for {key}"),
                "correct its name: OCC__SECTION__KEY; `occ config schema` lists every key",
            ));
        }
        match Config::deserialize(attempt.clone()) {
            Ok(_) => return Ok(attempt),
            // What is missing may be set by the next variable; all together are read in the end.
            Err(error) if error.message().starts_with("missing field") => return Ok(attempt),
            Err(error) => last = Some(explain(error.message())),
        }
    }
    let (what, next) = last.unwrap_or_default();
    Err(ConfigError::new(place, what, next))
}

/// Sets `section.key`; `false` where a value stands in place of the section.
fn put(table: &mut Table, key: &str, value: Value) -> bool {
    let Some((section, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return true;
    };
    match table.entry(section).or_insert_with(|| Value::Table(Table::new())) {
        Value::Table(inner) => put(inner, rest, value),
        _ => false,
    }
}

/// Takes the URL from its file, where one is named.
fn url_of_file(url: &mut Option<String>, file: Option<&Path>, key: &str, origins: &Origins) -> Result<(), ConfigError> {
    let Some(file) = file else { return Ok(()) };
    let place = origins.of(&format!("{key}_file"));
    if url.is_some() {
        let what = format!("{key} is set as well");
        return Err(ConfigError::new(place, what, format!("keep one of them; {key} came from {}", origins.of(key))));
    }
    let text = std::fs::read_to_string(file).map_err(|error| {
        let what = format!("{} cannot be read: {error}", file.display());
        ConfigError::new(&place, what, "correct the path or the file's permissions")
    })?;
    *url = Some(text.trim().to_owned());
    Ok(())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
