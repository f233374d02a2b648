//! `occ doctor`: looks at what this Installation needs on this machine. Changes nothing but starting the embedded database.

use anyhow::bail;

use crate::config::Config;
use crate::wiring;

/// Looks and says.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    println!("data in {}", config.data_dir().display());
    let control = wiring::control(config).await?;
    println!("ok    the database answers");
    println!("ok    the Installation is {}", control.installation);
    let mut wrong = 0;
    for item in control.compute.preflight().await.items {
        println!("{}  {}", if item.ok { "ok  " } else { "WRONG" }, item.what);
        if let Some(next) = item.next_step.filter(|_| !item.ok) {
            println!("      next: {next}");
            wrong += 1;
        }
    }
    if wrong > 0 {
        bail!("{wrong} things want attention");
    }
    Ok(())
}
