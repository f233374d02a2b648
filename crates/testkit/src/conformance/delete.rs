//! Deleting: everything of the one, nothing of another (I7, I14).

use anyhow::{Result, ensure};
use occ_driver::Desired;
use occ_model::agent::ExecutionMode;
use occ_model::id::NamespaceId;

use super::Target;

pub(super) async fn a_deleted_agent_leaves_nothing_and_others_go_on(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    let key = target.agent();
    let desired = target.deploy(key, serving.snapshot.harness.mode, None).await?;
    let process = target.seen(serving.key).await?.process;
    let owned = target.driver().sweep().await?;
    ensure!(owned.iter().any(|owned| owned.agent == key.agent), "the Agent's objects carry no mark");
    target.remove(key).await?;
    ensure!(target.driver().observe_agent(key).await?.is_none(), "something of the Agent is left");
    let owned = target.driver().sweep().await?;
    ensure!(!owned.iter().any(|owned| owned.agent == key.agent), "objects of the Agent are left");
    target.refused(key, desired.revision).await?;
    ensure!(target.seen(serving.key).await?.process == process, "another Agent was touched");
    Ok(())
}

pub(super) async fn namespaces_are_made_and_removed_once(target: &dyn Target, _mode: ExecutionMode) -> Result<()> {
    let namespace = NamespaceId::new();
    for _ in 0..2 {
        target.driver().ensure_namespace(target.call(), namespace).await?;
    }
    for _ in 0..2 {
        target.driver().delete_namespace(target.call(), namespace).await?;
    }
    Ok(())
}
