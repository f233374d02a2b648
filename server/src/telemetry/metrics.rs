//! `/metrics`, on a listener of its own: what was recorded, and what is asked of the database and of this process at that moment.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use occ_control::Control;
use occ_model::metric::{BUILD_INFO, Kind, METRICS};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::exposition::Exposition;
use super::{gather, process};
use crate::{config, listen};

/// Bounds of the durations' buckets, seconds: from a look into memory to a deployment.
const BUCKETS: [f64; 17] =
    [0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0];
/// What was recorded is put into its buckets so often, asked or not: else it would grow.
const UPKEEP: Duration = Duration::from_secs(5);

/// The recorder is there from now on; what records before it is not counted.
pub struct Recorder(PrometheusHandle);

impl Recorder {
    /// Puts it in place, once a process.
    pub fn install() -> anyhow::Result<Self> {
        let recorder =
            PrometheusBuilder::new().set_buckets(&BUCKETS).context("the buckets of the metrics")?.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).context("the metrics' recorder is there already")?;
        for metric in METRICS {
            match metric.kind {
                Kind::Counter => metrics::describe_counter!(metric.name, metric.says),
                Kind::Gauge => metrics::describe_gauge!(metric.name, metric.says),
                Kind::Histogram => metrics::describe_histogram!(metric.name, metrics::Unit::Seconds, metric.says),
            }
        }
        Ok(Self(handle))
    }
}

/// What the listener shares.
#[derive(Clone)]
struct Scraped {
    recorder: Arc<Recorder>,
    control: Arc<Control>,
    per_namespace: bool,
}

/// The configured listener, bound. `None`: nothing is measured.
pub async fn bind(config: &config::Metrics) -> anyhow::Result<Option<(TcpListener, Recorder)>> {
    let Some(address) = config.listen else { return Ok(None) };
    let listener = listen::bind_by(address, "metrics.listen").await?;
    Ok(Some((listener, Recorder::install()?)))
}

/// Answers until `shutdown`.
pub async fn serve(
    (listener, recorder): (TcpListener, Recorder),
    control: Arc<Control>,
    per_namespace: bool,
    shutdown: CancellationToken,
) {
    let scraped = Scraped { recorder: Arc::new(recorder), control, per_namespace };
    let recorder = Arc::clone(&scraped.recorder);
    let upkeep = async {
        loop {
            tokio::time::sleep(UPKEEP).await;
            recorder.0.run_upkeep();
        }
    };
    let app = Router::new().route("/metrics", get(scrape)).with_state(scraped);
    let serving = axum::serve(listener, app).with_graceful_shutdown(shutdown.cancelled_owned());
    tokio::select! {
        ended = serving => if let Err(error) = ended {
            tracing::error!(error = &error as &dyn std::error::Error, "metrics are not served any more");
        },
        () = upkeep => {}
    }
}

async fn scrape(State(scraped): State<Scraped>) -> Response {
    let mut now = Exposition::default();
    now.put(&BUILD_INFO, &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    gather::gather(&scraped.control, scraped.per_namespace, &mut now).await;
    process::gather(&mut now);
    let text = scraped.recorder.0.render() + &now.into_text();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
