//! The two walls, tried from real turns of the real runtimes: what a model may call reaches the workspace and nothing else.
//!
//! Needs the runtimes (`runtimes/install.sh`), bubblewrap and nested user namespaces; fails where they are missing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod world;

use occ_model::revision::HarnessId;
use serde_json::json;
use world::World;

#[tokio::test(flavor = "multi_thread")]
async fn embedded() {
    let world = World::with(HarnessId::Openclaw).await;
    let said = world.turn("SAY hello from inside").await;
    assert!(said.contains("hello from inside"), "{said}");
    let said = world.call("exec", json!({"command": "pwd; id; ls -A / /occ; env | sort; ps aux"})).await;
    println!("{said}");
    println!("{:?}", world.secret_files());
    world.end().await;
}
