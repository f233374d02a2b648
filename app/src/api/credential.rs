//! The "Check" of a model credential before anything is saved.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::agent::{CheckCredential, CredentialCheck};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named};
#[cfg(feature = "ssr")]
use occ_control::credential_check as case;

/// Asks the provider whether it takes the key; stores nothing.
#[server(prefix = "/api/fn", endpoint = "credential_check", input = Json)]
pub async fn check(namespace: String, request: CheckCredential) -> Result<CredentialCheck, Fault> {
    answer(case::check(&cx()?, &named(&namespace)?, request)).await
}
