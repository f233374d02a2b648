//! `occ doctor`: looks for the common troubles of a machine and says of each what to do. It goes on after a finding, so that one run
//! shows them all, and works whether or not `occ serve` runs. Changes nothing, save that it starts an embedded database that is
//! made and stopped.

mod agents;
mod database;
mod folder;
mod keys;
mod machine;
mod report;
mod server;
mod work;

use anyhow::bail;

use crate::config::Config;
use report::Report;

/// Looks and says. An error when something is wrong; what only wants to be known is none.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let mut report = Report::default();
    println!("data in {}", config.data_dir().display());
    folder::look(config, &mut report);
    machine::look(config, &mut report).await;
    let found = database::look(config, &mut report).await;
    keys::look(config, &mut report, found.as_ref()).await;
    if let Some(found) = &found {
        work::look(&mut report, found).await;
        agents::look(config, &mut report, found).await;
    }
    server::look(config, &mut report, found.as_ref()).await;
    match report.sum_up() {
        0 => Ok(()),
        1 => bail!("one thing is wrong"),
        wrong => bail!("{wrong} things are wrong"),
    }
}
