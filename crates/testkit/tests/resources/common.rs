//! What the tests of all resources share.

use occ_control::{Error, WriteOptions};
use occ_model::id::TypedId;
use occ_model::name::Name;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;

pub fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub fn sel<I: TypedId>(text: &str) -> Selector<I> {
    text.parse().unwrap()
}

pub fn plain() -> WriteOptions {
    WriteOptions::default()
}

pub fn dry() -> WriteOptions {
    WriteOptions { dry_run: true, ..WriteOptions::default() }
}

pub fn if_match(generation: i64) -> WriteOptions {
    WriteOptions { if_match: Some(generation), ..WriteOptions::default() }
}

pub fn keyed(key: &str) -> WriteOptions {
    WriteOptions { idempotency_key: Some(key.parse().unwrap()), ..WriteOptions::default() }
}

/// The problem that people see.
pub fn problem<T: std::fmt::Debug>(result: Result<T, Error>) -> Problem {
    result.expect_err("a refusal").problem()
}

pub fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> Code {
    problem(result).code
}

/// Code and pointers of a refusal.
pub fn places<T: std::fmt::Debug>(result: Result<T, Error>) -> (Code, Vec<(String, String)>) {
    let problem = problem(result);
    (problem.code, problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect())
}
