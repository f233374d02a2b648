//! Logs, and the traces that go out beside them.

use std::io::IsTerminal as _;

use anyhow::Context;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{Config, LogFormat, Traces};

/// Sends what is left when it is dropped.
#[must_use]
pub struct Telling(Option<SdkTracerProvider>);

impl Drop for Telling {
    fn drop(&mut self) {
        // A collector that does not answer keeps nobody.
        if let Some(provider) = &self.0 {
            let _ = provider.shutdown();
        }
    }
}

/// Begins to log; `serves`: the server, which is traced, and logs as it was configured to.
pub fn begin(config: &Config, serves: bool) -> anyhow::Result<Telling> {
    // A person who runs a command is told its result, not how it was reached.
    let usual = if serves { config.log.filter.as_str() } else { "warn" };
    let filter = EnvFilter::try_from_env("OCC_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    // A log that cannot be written (a full disk) must not end what is logged.
    let lines =
        fmt::layer().log_internal_errors(false).with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let lines = match config.log.format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let provider = if serves { provider(&config.traces)? } else { None };
    let spans = provider.as_ref().map(|provider| tracing_opentelemetry::layer().with_tracer(provider.tracer("occ")));
    tracing_subscriber::registry().with(filter).with(lines).with(spans).init();
    Ok(Telling(provider))
}

fn provider(traces: &Traces) -> anyhow::Result<Option<SdkTracerProvider>> {
    let Some(endpoint) = &traces.otlp_endpoint else { return Ok(None) };
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_endpoint(endpoint.as_str())
        .build()
        .context("traces cannot be sent")?;
    let resource = Resource::builder()
        .with_service_name("occ")
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(traces.share)));
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_sampler(sampler)
        .with_resource(resource)
        .build();
    Ok(Some(provider))
}
