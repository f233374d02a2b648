//! `occ whoami`

use occ_model::access::Me;

use super::client::{Client, Target};
use crate::config::Config;

/// Prints who the service key is.
pub async fn run(config: &Config, target: &Target) -> anyhow::Result<()> {
    let me: Me = Client::new(config, target)?.get("/me").await?;
    println!("{} ({}, {})", me.name, me.kind, me.id);
    Ok(())
}
