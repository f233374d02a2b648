//! The built files. Names under `/pkg` carry no hash in a development build, so they are revalidated; fonts and the editor are
//! kept for a day.

use std::path::Path;

use axum::Router;
use axum::http::{HeaderValue, header};
use tower::ServiceBuilder;
use tower_http::services::{ServeDir, ServeFile};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::http::state::AppState;

const REVALIDATE: &str = "no-cache";
const A_DAY: &str = "public, max-age=86400";

/// The routes of the files under `site`.
pub fn router(site: &Path) -> Router<AppState> {
    let folder = |name: &str, cache: &'static str| {
        ServiceBuilder::new()
            .layer(SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, HeaderValue::from_static(cache)))
            .service(ServeDir::new(site.join(name)).precompressed_br())
    };
    Router::new()
        .nest_service("/pkg", folder("pkg", REVALIDATE))
        .nest_service("/fonts", folder("fonts", A_DAY))
        .nest_service("/vendor", folder("vendor", REVALIDATE))
        .route_service("/favicon.svg", ServeFile::new(site.join("favicon.svg")))
        .route_service("/favicon.ico", ServeFile::new(site.join("favicon.svg")))
}
