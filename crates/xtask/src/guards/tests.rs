//! What the table must be, whether or not its guards are tried today.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::table::Table;

fn workspace() -> PathBuf {
    crate::paths::workspace().unwrap()
}

/// The invariants that a test's name begins with: `i6_i16_only…` is I6 and I16.
fn invariants(name: &str) -> Vec<String> {
    let number = |word: &&str| word.strip_prefix('i').is_some_and(|rest| rest.parse::<u8>().is_ok());
    name.split('_').take_while(number).map(str::to_uppercase).collect()
}

/// Every function of the sources that is named after an invariant.
fn named_after_invariants(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named_after_invariants(&path, names);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(path).unwrap();
            let functions = text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
            names.extend(functions.filter(|name| !invariants(name).is_empty()).map(str::to_owned));
        }
    }
}

fn tests_of_the_sources() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in ["app/src", "frontend/src", "server/src", "crates"] {
        named_after_invariants(&workspace().join(folder), &mut names);
    }
    names
}

/// What an expression's `test(/…/)` look for.
fn patterns(expression: &str) -> Vec<&str> {
    expression.split("test(/").skip(1).filter_map(|rest| rest.split("/)").next()).collect()
}

#[test]
fn every_guard_stands_exactly_once_where_the_table_says() {
    for guard in Table::read(&workspace()).unwrap().guards {
        let mut files = std::collections::BTreeMap::new();
        for edit in guard.edits() {
            let text = files
                .entry(edit.file.clone())
                .or_insert_with(|| std::fs::read_to_string(workspace().join(&edit.file)).unwrap());
            *text = edit.apply(text).unwrap_or_else(|error| panic!("{}: {error}", guard.name));
            assert_ne!(edit.take, edit.put, "{}", guard.name);
        }
    }
}

#[test]
fn every_guard_names_a_test_of_each_of_its_invariants() {
    let known = tests_of_the_sources();
    let mut names = BTreeSet::new();
    for guard in Table::read(&workspace()).unwrap().guards {
        assert!(names.insert(guard.name.clone()), "{} is there twice", guard.name);
        let mut covered = BTreeSet::new();
        for pattern in patterns(&guard.tests) {
            let found: Vec<_> = known.iter().filter(|name| name.starts_with(pattern)).collect();
            assert!(!found.is_empty(), "{}: no test of an invariant begins with {pattern}", guard.name);
            covered.extend(found.into_iter().flat_map(|name| invariants(name)));
        }
        for invariant in &guard.invariants {
            assert!(covered.contains(invariant), "{}: no test of {invariant} is named", guard.name);
        }
        assert!(!guard.invariants.is_empty() && guard.says.ends_with('.'), "{}", guard.name);
    }
}

#[test]
fn every_invariant_with_a_test_has_a_guard_or_a_reason() {
    let table = Table::read(&workspace()).unwrap();
    let guarded: BTreeSet<_> = table.guards.iter().flat_map(|guard| guard.invariants.clone()).collect();
    let tested: BTreeSet<_> = tests_of_the_sources().iter().flat_map(|name| invariants(name)).collect();
    let missing: Vec<_> =
        tested.iter().filter(|i| !guarded.contains(*i) && !table.elsewhere.contains_key(*i)).collect();
    assert!(missing.is_empty(), "tests are named after {missing:?}, and no guard is in the table");
}

#[test]
fn names_and_expressions_are_read() {
    assert_eq!(invariants("i6_i16_only_ones_own"), ["I6", "I16"]);
    assert!(invariants("is_it_there").is_empty() && invariants("i_am").is_empty());
    assert_eq!(patterns("test(/i3_a/) or test(/i20_b/)"), ["i3_a", "i20_b"]);
}
