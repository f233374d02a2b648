//! One machine runs the Agents of an Installation: the one with the data folder that it was first started with. Another machine has
//! nothing of them, would take every Agent for gone and start it a second time (I1).

use occ_model::id::TypedId;
use occ_model::identity::{Actor, Identity};
use occ_model::operation::Kind;
use occ_store::audit::Entry;
use occ_store::installation::InstallationRow;
use occ_store::tx::Origin;
use occ_store::{Store, local_host, principal};
use serde_json::json;

use crate::error::{Error, Result};

/// The id of the data folder that the Installation is bound to, if it was started before.
pub async fn bound(store: &Store) -> Result<Option<String>> {
    Ok(local_host::find(&mut store.read().await?).await?)
}

/// Binds the Installation to the data folder with this id, unless it is bound; answers the one that it is bound to.
pub async fn bind(store: &Store, installation: &InstallationRow, id: &str) -> Result<String> {
    if let Some(bound) = bound(store).await? {
        return Ok(bound);
    }
    let controller = principal::controller(&mut store.read().await?).await?.ok_or_else(|| {
        Error::fault("binding the Installation to its machine", "there is no controller identity; run `occ init`")
    })?;
    let actor = Actor { identity: Identity::ServicePrincipal(controller), name: principal::CONTROLLER.to_owned() };
    let mut tx = store.mutate(Origin { actor, request: None, epoch: None }).await?;
    if local_host::bind(&mut tx, id).await? {
        let entry = Entry::success("installation.bind_host", Kind::Installation, installation.id.uuid())
            .with(json!({ "host": id }));
        tx.audit(entry).await?.commit().await?;
        return Ok(id.to_owned());
    }
    drop(tx);
    bound(store).await?.ok_or_else(|| Error::fault("binding the Installation to its machine", "its row is gone"))
}
