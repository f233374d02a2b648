//! The console over HTTP: pages rendered on the server, server functions, the built files with their cache headers, and signing
//! in and out, which work without WASM.

mod context;
mod files;
mod render;
mod signin;

use std::path::PathBuf;

use app::{App, shell};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::response::Redirect;
use axum::routing::{get, post};
use leptos::config::LeptosOptions;
use leptos_axum::{LeptosRoutes, generate_route_list, handle_server_fns};
use tower_http::limit::RequestBodyLimitLayer;

use crate::config::Config;
use crate::http::measure;
use crate::http::state::AppState;

/// Server functions carry Configurations: as much as REST takes, with room for the envelope.
const BODY_LIMIT: usize = 1024 * 1024 + 64 * 1024;

/// Everything of the console.
pub fn router(config: &Config, state: &AppState) -> Router<AppState> {
    let options = options(config);
    let shell_options = options.clone();
    let pages = Router::<LeptosOptions>::new()
        .leptos_routes(&options, generate_route_list(App), move || shell(shell_options.clone()))
        .layer(middleware::from_fn(render::on_one_thread))
        .with_state(options);
    let console = Router::new()
        .merge(pages)
        .route("/api/fn/{*name}", post(handle_server_fns))
        .layer(RequestBodyLimitLayer::new(BODY_LIMIT))
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(state.clone(), context::put))
        .layer(middleware::from_fn(measure::console));
    Router::new()
        .route("/", get(async || Redirect::temporary("/console")))
        .route("/console/", get(async || Redirect::permanent("/console")))
        .route("/signin/{token}", post(signin::consume))
        .route("/console/sign-out", post(signin::out))
        .merge(console)
        .merge(files::router(&site(config)))
}

/// Where the built console is.
fn site(config: &Config) -> PathBuf {
    config.server.site.clone().unwrap_or_else(|| config.data_dir().join("site"))
}

fn options(config: &Config) -> LeptosOptions {
    LeptosOptions::builder()
        .output_name("console")
        .site_root(site(config).to_string_lossy().into_owned())
        .site_pkg_dir("pkg")
        .site_addr(config.server.listen)
        .env(leptos::config::Env::PROD)
        .build()
}
