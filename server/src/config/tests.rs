//! Every fault names its place and a next step, and repeats no value.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::config::Isolation;

/// The file's text and the environment, read.
fn loaded(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("occ.toml");
    std::fs::write(&file, text).unwrap();
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let folder = format!("{}/", folder.path().display());
    load_with(Some(&file), &environment).map_err(|error| error.to_string().replace(&folder, ""))
}

fn refused(text: &str, variables: &[(&str, &str)]) -> (String, String) {
    let message = loaded(text, variables).unwrap_err();
    let (what, next) = message.split_once("\n  next: ").unwrap();
    assert!(!next.is_empty());
    (what.to_owned(), next.to_owned())
}

#[test]
fn a_file_and_the_environment_make_one_configuration() {
    let text = "data_dir = \"${BASE}/occ\"\n[controller]\nslots = 3\n[local]\nisolation = \"none\"\n";
    let config = loaded(text, &[("BASE", "/srv"), ("OCC__CONTROLLER__SLOTS", "4"), ("OCC_PORT", "81")]).unwrap();
    assert_eq!((config.data_dir(), config.controller.slots), ("/srv/occ".into(), 4));
    assert_eq!((config.local.isolation, config.server.listen.port()), (Isolation::None, 81));
}

#[test]
fn a_relative_folder_is_the_same_from_every_working_directory() {
    let here = std::env::current_dir().unwrap();
    let config = loaded("data_dir = \"occ\"\n[local]\nruntimes_dir = \"./runtimes\"\n", &[]).unwrap();
    assert_eq!((config.data_dir(), config.runtimes_dir()), (here.join("occ"), here.join("runtimes")));
    let config = loaded("", &[("OCC_DATA_DIR", "./occ"), ("OCC_RUNTIMES_DIR", "runtimes")]).unwrap();
    assert_eq!((config.data_dir(), config.runtimes_dir()), (here.join("occ"), here.join("runtimes")));
    let (what, _) = refused("data_dir = \"\"\n", &[]);
    assert!(what.starts_with("occ.toml:1:12, data_dir: is no path"), "{what}");
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let (what, next) = refused("[server]\nlisten = \"127.0.0.1:1\"\nprot = 2\n", &[]);
    assert!(what.starts_with("occ.toml:3:1, server.prot: unknown field `prot`"), "{what}");
    assert!(next.contains("occ config schema"));
    let (what, _) = refused("[sevrer]\n", &[]);
    assert!(what.starts_with("occ.toml:1:2, sevrer: unknown field"), "{what}");
}

#[test]
fn a_wrong_type_is_named_with_its_line_and_without_the_value() {
    let (what, _) = refused("\n[controller]\n  slots = \"hunter2\"\n", &[]);
    assert_eq!(what, "occ.toml:3:11, controller.slots: a text stands here, expected usize");
    let (what, _) = refused("[server]\nlisten = 7\n", &[]);
    assert!(what.starts_with("occ.toml:2:10, server.listen: "), "{what}");
    let (what, next) = refused("[server\n", &[]);
    assert!(what.starts_with("occ.toml:1:") && next.contains("TOML"), "{what}");
}

#[test]
fn an_unset_variable_is_named_with_its_line() {
    let (what, next) = refused("[database]\nurl = \"postgres://${DB_HOST}/occ\"\n", &[]);
    assert_eq!(what, "occ.toml:2:7, database.url: the environment variable DB_HOST is not set");
    assert!(next.contains("set DB_HOST"));
}

#[test]
fn a_broken_rule_is_shown_where_the_value_came_from() {
    let (what, _) = refused("[controller]\nslots = 65\n", &[]);
    assert_eq!(what, "occ.toml:2:9, controller.slots: must be 1 to 64");
    let (what, _) = refused("[controller]\nslots = 5\n", &[("OCC__CONTROLLER__SLOTS", "65")]);
    assert_eq!(what, "the environment variable OCC__CONTROLLER__SLOTS: must be 1 to 64");
    let (what, next) = refused("[server]\nlisten = \"0.0.0.0:80\"\n", &[]);
    assert!(what.contains("not on loopback") && next.contains("public_url"), "{what}");
    // A TLS proxy in front, or TLS of its own: the two ways out.
    let open = "[server]\nlisten = \"0.0.0.0:80\"\npublic_url = \"https://occ.example.org\"\n";
    assert!(refused(open, &[]).1.contains("server.trusted_proxies"));
    assert!(loaded(&format!("{open}trusted_proxies = [\"10.0.0.7\", \"10.1.0.0/16\"]\n"), &[]).is_ok());
    let tls = "tls = { cert_file = \"/c\", key_file = \"/k\" }\n";
    assert!(loaded(&format!("{open}{tls}"), &[]).is_ok());
    assert!(refused(&format!("[server]\n{tls}"), &[]).0.contains("server.public_url"));
    let (what, _) = refused("[server]\ntrusted_proxies = [\"10.0.0.0/33\"]\n", &[]);
    assert!(what.starts_with("occ.toml:2:19, server.trusted_proxies[0]: an address"), "{what}");
    let (what, _) = refused("[log]\nfilter = \"=,=\"\n", &[]);
    assert!(what.starts_with("occ.toml:2:10, log.filter"), "{what}");
}

#[test]
fn a_variable_that_does_not_fit_is_named() {
    let (what, _) = refused("", &[("OCC__CONTROLLER__SLOTS", "many")]);
    assert!(what.starts_with("the environment variable OCC__CONTROLLER__SLOTS: ") && !what.contains("many"), "{what}");
    assert!(refused("", &[("OCC__SERVRE__LISTEN", "x")]).0.contains("unknown field `servre`"));
    assert!(refused("data_dir = \"/x\"\n", &[("OCC__DATA_DIR__X", "y")]).0.contains("no section"));
    assert!(refused("", &[("OCC_PORT", "http")]).0.contains("OCC_PORT"));
    let cert = ("OCC__SERVER__TLS__CERT_FILE", "/c");
    assert!(refused("", &[cert]).0.contains("server.tls (file and environment together): missing field `key_file`"));
    let url = ("OCC__SERVER__PUBLIC_URL", "https://occ.example.org");
    assert!(loaded("", &[cert, ("OCC__SERVER__TLS__KEY_FILE", "/k"), url]).is_ok());
    assert!(loaded("", &[("OCC_DATABASE_URL", "")]).unwrap().database.url.is_none());
}

#[test]
fn i10_a_password_comes_from_a_file_or_the_environment() {
    let (what, next) = refused("[database]\nurl = \"postgres://occ:hunter2@db/occ\"\n", &[]);
    assert_eq!(what, "occ.toml:2:7, database.url: a password does not belong into this file");
    assert!(next.contains("database.url_file") && next.contains("OCC_DATABASE_URL"));
    let url = "postgres://occ:hunter2@db/occ";
    let config = loaded("[database]\nurl = \"postgres://occ:${PW}@db/occ\"\n", &[("PW", "hunter2")]).unwrap();
    assert_eq!(config.database.url.as_deref(), Some(url));
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), format!("{url}\n")).unwrap();
    let named = format!("[database]\nurl_file = \"{}\"\n", secret.path().display());
    assert_eq!(loaded(&named, &[]).unwrap().database.url.as_deref(), Some(url));
    let (what, _) = refused(&named, &[("OCC_DATABASE_URL", url)]);
    assert!(what.contains("database.url is set as well") && !what.contains("hunter2"), "{what}");
    let (what, _) = refused("[database]\nowner_url_file = \"/nowhere/url\"\n", &[]);
    assert!(what.starts_with("occ.toml:2:18, database.owner_url_file: /nowhere/url cannot be read"), "{what}");
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let error = load_with(Some(Path::new("/nowhere/occ.toml")), &Environment::new()).unwrap_err();
    assert_eq!(error.place, "/nowhere/occ.toml");
    assert!(load_with(None, &Environment::from([("OCC_DATA_DIR".to_owned(), "/nowhere".to_owned())])).is_ok());
}
