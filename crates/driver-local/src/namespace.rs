//! Namespaces need nothing on one machine but their fence.

use occ_driver::{Call, DriverError, Result};
use occ_model::id::NamespaceId;
use occ_supervisor::fence::Fence;
use occ_supervisor::protocol::Refusal;

use crate::LocalDriver;
use crate::spawn::lock;
use crate::translate::refusal;

impl LocalDriver {
    /// Accepts the epoch, or refuses a lower one. There is nothing to make or to remove.
    pub(crate) async fn fence_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        let _one_at_a_time = lock(&self.place.shared().join("namespaces.lock")).await?;
        let fence =
            Fence::open(self.place.fence(namespace)).map_err(|error| DriverError::fault("open a fence", error))?;
        fence.admit(call.epoch).map_err(|refused| match refused {
            Refusal::Fault => DriverError::fault("write a fence", Refusal::Fault),
            // A full disk among them.
            other => refusal(other),
        })
    }
}
