//! `occ-victim ORDERS`: a worker that ends itself by SIGKILL at a fault point (see `occ_testkit::faults::victim`).

use anyhow::{Context, Result};
use occ_testkit::faults::victim::obey;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let orders = std::env::args().nth(1).context("orders are missing")?;
    obey(serde_json::from_str(&orders)?).await
}
