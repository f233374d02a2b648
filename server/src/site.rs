//! The console: pages rendered on the server, its files with their cache headers, and the sign-in link that works without WASM.

use axum::Router;

use crate::config::Config;
use crate::http::state::AppState;

/// Everything of the console.
pub fn router(_config: &Config, _state: &AppState) -> anyhow::Result<Router<AppState>> {
    Ok(Router::new())
}
