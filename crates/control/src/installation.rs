//! The Installation: what it offers and guarantees here. Readable by whoever is signed in; it names no tenant.

use occ_model::installation::{Capabilities, Installation};
use occ_store::installation;

use crate::context::Cx;
use crate::error::{Error, Result};

/// The Installation as it is shown.
pub async fn get(cx: &Cx) -> Result<Installation> {
    let row = installation::find(&mut cx.read().await?).await?.ok_or_else(Error::not_found)?;
    let (runtimes, runtimes_ready) = cx.compute.runtimes();
    let drivers =
        [("compute", cx.compute.name()), ("iam", "native"), ("secret", "database"), ("configuration", "database")];
    Ok(Installation {
        id: row.id,
        created_at: row.created_at,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        capabilities: Capabilities {
            execution_modes: cx.compute.modes(),
            drivers: drivers
                .iter()
                .map(|(capability, driver)| ((*capability).to_owned(), (*driver).to_owned()))
                .collect(),
            guarantees: cx.compute.guarantees(),
            runtimes,
            runtimes_ready,
        },
    })
}
