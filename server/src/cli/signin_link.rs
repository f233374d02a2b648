//! `occ signin-link`

use occ_control::bootstrap;
use secrecy::ExposeSecret;

use crate::config::Config;
use crate::wiring;

/// Prints a one-time sign-in link of the first administrator.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let link = bootstrap::signin_link(&wiring::owner(config).await?).await?;
    println!("{}", url(config, link.expose_secret()));
    Ok(())
}

/// The link as people open it.
pub fn url(config: &Config, token: &str) -> String {
    let base = config
        .server
        .public_url
        .as_ref()
        .map_or_else(|| format!("http://{}", config.server.listen), |url| url.origin().ascii_serialization());
    format!("{base}/signin/{token}")
}
