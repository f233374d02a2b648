//! The port: free, or `occ serve` of this Installation answers on it.

use std::time::Duration;

use occ_model::installation::Installation;
use reqwest::StatusCode;
use serde_json::Value;
use url::Url;

use super::database::Found;
use super::report::Report;
use crate::config::Config;
use crate::listen;

const PATIENCE: Duration = Duration::from_secs(5);

/// Looks at it.
pub async fn look(config: &Config, report: &mut Report, found: Option<&Found>) {
    let address = config.server.listen;
    let Err(trouble) = listen::bind(address).await else {
        return report.fine(format!("{address} is free: `occ serve` does not run here"));
    };
    let Ok(url) = config.server.local_url() else { return };
    let Some(ready) = ready(&url).await else {
        return report.wrong_at(format!("{address}: {}", trouble.what), trouble.next);
    };
    if !ready.is_empty() {
        let next = "look at its log; what it names is what it waits for";
        return report.wrong_at(format!("`occ serve` answers at {url} and is not ready: {}", ready.join(", ")), next);
    }
    match is_ours(config, &url, found).await {
        Some(false) => report.wrong_at(
            format!("the occ that answers at {url} is of another Installation, or does not know this service key"),
            "choose another port for this one with server.listen or OCC_PORT",
        ),
        Some(true) | None => report.fine(format!("`occ serve` answers at {url}")),
    }
}

fn client() -> Option<reqwest::Client> {
    reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().ok()
}

/// What it is not ready for; `None` when nobody there speaks as an occ.
async fn ready(url: &Url) -> Option<Vec<String>> {
    let answer: Value = client()?.get(url.join("readyz").ok()?).send().await.ok()?.json().await.ok()?;
    let ready = answer["ready"].as_bool()?;
    let failing = answer["failing"].as_array()?.iter().filter_map(|word| word.as_str().map(str::to_owned));
    Some(if ready { Vec::new() } else { failing.collect() })
}

/// Whether it serves our Installation; `None` when that cannot be asked.
async fn is_ours(config: &Config, url: &Url, found: Option<&Found>) -> Option<bool> {
    let key = std::fs::read_to_string(config.data_dir().join("service-key")).ok()?;
    let asked = client()?.get(url.join("api/v1/installation").ok()?).bearer_auth(key.trim()).send().await.ok()?;
    if asked.status() == StatusCode::UNAUTHORIZED {
        return Some(false);
    }
    let installation: Installation = asked.json().await.ok()?;
    Some(installation.id == found?.installation)
}
