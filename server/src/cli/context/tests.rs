#![allow(clippy::unwrap_used, reason = "tests")]
use std::os::unix::fs::PermissionsExt;

use super::*;

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn two() -> (tempfile::TempDir, Contexts) {
    let home = tempfile::tempdir().unwrap();
    let mut contexts = Contexts::open_in(home.path().join("occ")).unwrap();
    contexts.put(&name("prod"), &url("https://occ.example.org"), &"key-of-prod".to_owned().into(), true).unwrap();
    contexts.put(&name("test"), &url("http://127.0.0.1:7171"), &"key-of-test".to_owned().into(), false).unwrap();
    (home, contexts)
}

#[test]
fn several_servers_are_remembered_and_one_is_current() {
    let (home, mut contexts) = two();
    assert_eq!(contexts.current().unwrap().unwrap().name, name("prod"));
    contexts.switch(Some(&name("test"))).unwrap();
    let again = Contexts::open_in(home.path().join("occ")).unwrap();
    let current = again.current().unwrap().unwrap();
    assert_eq!(
        (current.url.as_str(), current.key().unwrap().expose_secret()),
        ("http://127.0.0.1:7171/", "key-of-test")
    );
    assert_eq!(again.all().len(), 2);
    contexts.switch(None).unwrap();
    assert!(contexts.current().unwrap().is_none());
    let unknown = contexts.switch(Some(&name("other"))).unwrap_err().to_string();
    assert!(unknown.contains("prod, test"), "{unknown}");
}

#[test]
fn two_programs_lose_nothing_of_each_other() {
    let (home, mut one) = two();
    let mut other = Contexts::open_in(home.path().join("occ")).unwrap();
    one.put(&name("a"), &url("https://a.example.org"), &"x".to_owned().into(), false).unwrap();
    other.put(&name("b"), &url("https://b.example.org"), &"y".to_owned().into(), false).unwrap();
    assert_eq!(Contexts::open_in(home.path().join("occ")).unwrap().all().len(), 4);
}

#[test]
fn i10_keys_are_files_of_their_own_that_nobody_else_reads() {
    let (home, contexts) = two();
    let folder = home.path().join("occ");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!([mode(&folder), mode(&folder.join("keys"))], [0o700, 0o700]);
    assert_eq!([mode(&folder.join("keys/prod")), mode(&folder.join("contexts.toml"))], [0o600, 0o600]);
    assert!(!fs::read_to_string(folder.join("contexts.toml")).unwrap().contains("key-of"));
    assert!(!format!("{contexts:?}").contains("key-of"));
    fs::set_permissions(folder.join("keys/prod"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(contexts.find(&name("prod")).unwrap().key().is_err());
}

#[test]
fn a_forgotten_context_leaves_no_key() {
    let (home, mut contexts) = two();
    contexts.delete(&name("prod")).unwrap();
    assert!(!home.path().join("occ/keys/prod").exists());
    assert!(contexts.current().unwrap().is_none());
    assert!(contexts.find(&name("prod")).is_err());
}

#[test]
fn a_damaged_file_is_named_and_left_alone() {
    let (home, _) = two();
    let file = home.path().join("occ/contexts.toml");
    fs::write(&file, "current = [").unwrap();
    let error = Contexts::open_in(home.path().join("occ")).unwrap_err().to_string();
    assert!(error.contains("contexts.toml") && error.contains("occ login"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "current = [");
}
