//! The Installation: what it offers and guarantees here.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::installation::Installation;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx};
#[cfg(feature = "ssr")]
use occ_control::installation as case;

/// It.
#[server(prefix = "/api/fn", endpoint = "installation_get", input = Json)]
pub async fn get() -> Result<Installation, Fault> {
    answer(case::get(&cx()?)).await
}
