//! Rotation of the key ring: every data key is wrapped again by the newest key; no value is touched.

use std::sync::Arc;

use occ_driver::SecretPlace;
use occ_model::id::TypedId;
use occ_model::operation::{Action, Kind};
use occ_policy::Target;
use occ_store::audit::Entry;
use occ_store::{Store, secret_version};
use serde_json::json;

use crate::Control;
use crate::bootstrap;
use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::secret_value::{sealed_secret, stored};
use crate::write::again;

/// Data keys that one transaction wraps.
const BATCH: i64 = 100;

/// The same on behalf of the machine's operator, who has the owner's connection.
pub async fn rewrap_for_operator(control: Arc<Control>, owner: &Store) -> Result<u64> {
    rewrap_all(&Cx::new(control, bootstrap::operator(owner).await?, None)).await
}

/// Wraps every data key that an older key of the ring wraps. How many; run again, it finds none.
pub async fn rewrap_all(cx: &Cx) -> Result<u64> {
    let mut total = 0;
    loop {
        let Some(done) = again(|| batch(cx)).await? else { return Ok(total) };
        total += done;
    }
}

/// Wraps some; `None` when none is left. What somebody else wraps at the same time is theirs.
async fn batch(cx: &Cx) -> Result<Option<u64>> {
    const OPERATION: &str = "secret.rewrap";
    let target = Target::installation(Kind::Installation, Some(cx.installation.uuid()));
    let decision = cx.require(OPERATION, Action::Administer, target).await?;
    // No transaction is open while the driver wraps.
    let rows = secret_version::wrapped_otherwise(&mut cx.read().await?, cx.secrets.current_key(), BATCH).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut wrapped = Vec::with_capacity(rows.len());
    for row in rows {
        let place = SecretPlace {
            installation: cx.installation,
            namespace: TypedId::from_uuid(row.namespace),
            secret: row.secret,
            version: row.version,
        };
        let before = row.sealed.ring_key.clone();
        let after = cx.secrets.rewrap(&place, &sealed_secret(row.sealed)).await.map_err(Error::Driver)?;
        wrapped.push((place, before, stored(after)));
    }
    let mut tx = cx.mutate(decision.epoch).await?;
    let mut count = 0;
    for (place, before, after) in wrapped {
        count += secret_version::rewrap(&mut tx, place.secret, place.version, &before, &after).await?;
    }
    if count == 0 {
        return Ok(Some(0));
    }
    let entry = Entry::success(OPERATION, Kind::Installation, cx.installation.uuid())
        .because(evidence(&decision.evidence))
        .with(json!({ "versions": count, "key": cx.secrets.current_key() }));
    tx.audit(entry).await?.commit().await?;
    Ok(Some(count))
}
