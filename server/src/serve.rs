//! `occ serve`: the roles of one process, wired together.

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::serve::ListenerExt;
use occ_control::{Control, signals, worker};
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_sessions::cookie::SameSite;
use tower_sessions::{Expiry, SessionManagerLayer};

use crate::authn::session_store::Sessions;
use crate::authn::{Authn, COOKIE, Origins, behind_proxies};
use crate::config::{Config, Proxy};
use crate::http::connections::{Bounds, answer};
use crate::http::state::AppState;
use crate::http::{fallback, health, measure, request_id, route, security};
use crate::telemetry::metrics;
use crate::tls::{self, TlsListener};
use crate::{listen, openapi, rest, site, wiring};

/// Which roles this process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// REST.
    pub api: bool,
    /// The console.
    pub console: bool,
    /// The worker.
    pub controller: bool,
}

/// Runs until asked to stop (TERM or INT), then finishes or releases what it has within 10 s.
pub async fn run(config: &Config, roles: Roles) -> anyhow::Result<()> {
    // Files and port first: where they cannot be used, nothing else is touched.
    let acceptor = config.server.tls.as_ref().map(tls::acceptor).transpose()?;
    let listener = listen::bind(config.server.listen).await?;
    let measured = metrics::bind(&config.metrics).await?;
    let control = wiring::control(config).await?;
    let shutdown = CancellationToken::new();
    tokio::spawn(stop_on_signal(shutdown.clone()));
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(signals::run(Arc::clone(&control), shutdown.clone()));
    if let Some(measured) = measured {
        tracing::info!(address = config.metrics.listen.map(tracing::field::display), "measuring");
        let per_namespace = config.metrics.per_namespace;
        tasks.spawn(metrics::serve(measured, Arc::clone(&control), per_namespace, shutdown.clone()));
    }
    if roles.controller {
        tasks.spawn(worker::run(Arc::clone(&control), config.controller.slots, shutdown.clone()));
    }
    let app = router(config, &control, roles, shutdown.clone());
    tracing::info!(address = %config.server.listen, tls = acceptor.is_some(), "serving");
    if let Some(acceptor) = acceptor {
        answer(TlsListener::new(listener, acceptor)?, app, Bounds::default(), shutdown).await;
    } else {
        let listener = listener.tap_io(|tcp| {
            // Without it every streamed page waits 40 ms for the client's acknowledgement.
            let _ = tcp.set_nodelay(true);
        });
        answer(listener, app, Bounds::default(), shutdown).await;
    }
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// Everything that is answered over HTTP.
pub fn router(config: &Config, control: &Arc<Control>, roles: Roles, shutdown: CancellationToken) -> Router {
    let origins = Arc::new(Origins::new(config.server.public_url.as_ref()));
    let state = AppState { control: Arc::clone(control), authn: Authn { origins }, shutdown };
    let life = occ_store::session::Lifetimes {
        absolute: i64::from(config.session.absolute_minutes) * 60,
        idle: i64::from(config.session.idle_minutes) * 60,
    };
    let sessions = SessionManagerLayer::new(Sessions::new(control.store.clone(), life))
        .with_name(COOKIE)
        .with_secure(true)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnSessionEnd);
    let proxies: Arc<[Proxy]> = config.server.trusted_proxies.clone().into();
    let mut app = Router::new();
    if roles.api {
        app = app.nest(
            "/api/v1",
            route::router(rest::routes())
                .fallback(fallback::not_found)
                .method_not_allowed_fallback(fallback::method_not_allowed),
        );
        app = app.merge(openapi::router());
    }
    if roles.console {
        app = app.merge(site::router(config, &state));
    }
    app.fallback(fallback::not_found)
        .layer(sessions)
        .layer(middleware::from_fn_with_state(state.clone(), security::known_host))
        .merge(health::router())
        .layer(middleware::from_fn(security::headers))
        .layer(CatchPanicLayer::custom(fallback::panicked))
        .layer(middleware::from_fn_with_state(proxies, behind_proxies))
        .layer(middleware::from_fn(request_id::assign))
        .layer(middleware::from_fn(measure::measure))
        .with_state(state)
}

async fn stop_on_signal(shutdown: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
    tracing::info!("stopping");
    shutdown.cancel();
}
