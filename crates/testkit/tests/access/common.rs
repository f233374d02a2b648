//! What the tests of access share.

use occ_control::{Cx, Error, WriteOptions, secret};
use occ_model::access::{CreateBinding, ResourceScope};
use occ_model::id::TypedId;
use occ_model::identity::Actor;
use occ_model::name::Name;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::secret::Secret;
use occ_testkit::{Tenant, document};

pub fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub fn sel<I: TypedId>(text: &str) -> Selector<I> {
    text.parse().unwrap()
}

pub fn plain() -> WriteOptions {
    WriteOptions::default()
}

pub fn keyed(key: &str) -> WriteOptions {
    WriteOptions { idempotency_key: Some(key.parse().unwrap()), ..WriteOptions::default() }
}

pub fn dry() -> WriteOptions {
    WriteOptions { dry_run: true, ..WriteOptions::default() }
}

pub fn problem<T>(result: Result<T, Error>) -> Problem {
    match result {
        Ok(_) => panic!("a refusal"),
        Err(error) => error.problem(),
    }
}

pub fn code<T>(result: Result<T, Error>) -> Code {
    problem(result).code
}

/// Code and places of a refusal.
pub fn places<T>(result: Result<T, Error>) -> (Code, Vec<(String, String)>) {
    let problem = problem(result);
    (problem.code, problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect())
}

/// A binding of a person with a role, of the whole scope.
pub fn whole(who: &Actor, role: &str) -> CreateBinding {
    CreateBinding { subject: who.identity.to_string(), role: role.to_owned(), resource: None }
}

/// The same on one resource.
pub fn exact(who: &Actor, role: &str, resource: ResourceScope) -> CreateBinding {
    CreateBinding { resource: Some(resource), ..whole(who, role) }
}

/// A Secret in a tenant.
pub async fn a_secret(cx: &Cx, tenant: &Tenant, of: &str) -> Secret {
    let within = Selector::Id(tenant.namespace.id);
    secret::create(cx, &within, document::secret(name(of), "s3cret-value"), &plain()).await.unwrap()
}
