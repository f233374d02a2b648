//! `occ init`

use occ_control::bootstrap;
use occ_control::keyfiles;
use occ_model::problem::Code;
use occ_store::{Store, installation};
use secrecy::ExposeSecret;

use super::signin_link::url;
use crate::config::Config;
use crate::wiring;

/// Arguments of `occ init`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the first administrator, for people.
    #[arg(long, default_value = "Administrator")]
    administrator: String,
    /// Re-issue access while no administrator can act.
    #[arg(long)]
    recover: bool,
}

/// Makes the Installation, once; asked again it says so and succeeds.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let owner = wiring::owner(config).await?;
    wiring::migrate(&owner).await?;
    if args.recover {
        return recover(config, &owner).await;
    }
    // An Installation has its keys: lost ones are restored, never made anew.
    if installation::find(&mut owner.read().await?).await?.is_none() {
        keyfiles::load_or_create(&config.data_dir().join("keys"))?;
    }
    match bootstrap::init(&owner, &args.administrator, &config.data_dir().join("service-key")).await {
        Ok(made) => {
            println!("made the Installation {}", made.installation);
            println!("service key in {}", made.key_file.display());
            println!("sign in once, within 15 minutes: {}", url(config, made.link.expose_secret()));
            Ok(())
        }
        Err(error) if error.problem().code == Code::AlreadyInitialized => {
            match installation::find(&mut owner.read().await?).await? {
                Some(row) => println!("the Installation {} exists already", row.id),
                None => println!("the Installation exists already"),
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

async fn recover(config: &Config, owner: &Store) -> anyhow::Result<()> {
    let recovered = bootstrap::recover(owner).await?;
    println!("the Installation {} had no administrator who could act", recovered.installation);
    println!("enrolled {} ({}) as one; everything else is as it was", recovered.name, recovered.administrator);
    println!("sign in once, within 15 minutes: {}", url(config, recovered.link.expose_secret()));
    println!("then put the real administrators right, and take {} its role again", recovered.name);
    Ok(())
}
