//! The work queue, for those who administer it.

use occ_model::id::WorkId;
use occ_model::page::{ListQuery, Page};
use occ_model::work::Work;

use crate::{Cx, Result, WriteOptions, unfinished};

/// Work that the caller administers, newest first.
pub async fn list(_cx: &Cx, _query: &ListQuery) -> Result<Page<Work>> {
    unfinished()
}

/// One item.
pub async fn get(_cx: &Cx, _work: WorkId) -> Result<Work> {
    unfinished()
}

/// Cancels an item that no worker has; a deployment's is cancelled through the deployment.
pub async fn cancel(_cx: &Cx, _work: WorkId, _options: &WriteOptions) -> Result<Work> {
    unfinished()
}

/// Queues an item again that was given up.
pub async fn retry(_cx: &Cx, _work: WorkId, _options: &WriteOptions) -> Result<Work> {
    unfinished()
}
