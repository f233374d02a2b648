//! What the program says of itself: metrics of the closed table and no tenant in them; one trace from the request to the target.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;

use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use occ_model::metric::{Kind, METRICS};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::world::Machine;

async fn rest(machine: &Machine, method: Method, path: &str, body: Option<Value>) -> reqwest::Response {
    let key = std::fs::read_to_string(machine.data().join("service-key")).unwrap();
    let client = Client::builder().no_proxy().build().unwrap();
    let mut request = client.request(method, format!("{}/api/v1/{path}", machine.url())).bearer_auth(key.trim());
    if let Some(body) = body {
        request = request.json(&body);
    }
    request.send().await.unwrap()
}

/// The Namespace is made and ready.
async fn namespace(machine: &Machine, name: &str) {
    let made = rest(machine, Method::POST, "namespaces", Some(json!({ "name": name }))).await;
    assert_eq!(made.status(), 201, "{made:?}");
    let waited = machine.run(&["get", "namespaces"]);
    assert_eq!(waited.code, 0, "{waited:?}");
}

/// A figure's name, its labels, and its value.
fn figures(text: &str) -> Vec<(String, BTreeMap<String, String>, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let figure = |line: &str| {
        let (head, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = head.split_once('{').unwrap_or((head, ""));
        let labels = labels.trim_end_matches('}').split("\",").filter(|label| !label.is_empty());
        let labels = labels.map(|label| label.split_once("=\"").unwrap());
        let labels = labels.map(|(name, value)| (name.to_owned(), value.trim_end_matches('"').to_owned()));
        (name.to_owned(), labels.collect(), value.parse().unwrap())
    };
    lines.map(figure).collect()
}

#[sqlx::test(migrations = false)]
async fn i10_a_scrape_tells_what_the_table_lists_and_no_tenant(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut serve = machine.occ(["serve"]);
    serve.env("OCC__METRICS__LISTEN", free.to_string());
    let _serving = Machine::served(serve);
    namespace(&machine, "whispering").await;
    rest(&machine, Method::GET, "namespaces/whispering/agents/whoever", None).await;
    let page = reqwest::get(format!("{}/console/sign-in", machine.url())).await.unwrap();
    page.text().await.unwrap();
    let scrape = async || reqwest::get(format!("http://{free}/metrics")).await.unwrap().text().await.unwrap();
    let mut text = scrape().await;
    while !text.contains("occ_work_steps_total") {
        text = scrape().await;
    }
    let mut seen = BTreeSet::new();
    for (name, labels, _) in figures(&text) {
        let whole = |metric: &&occ_model::metric::Metric| {
            let tail = name.strip_prefix(metric.name);
            tail == Some("")
                || metric.kind == Kind::Histogram
                    && tail.is_some_and(|tail| ["_bucket", "_sum", "_count"].contains(&tail))
        };
        let metric = METRICS.iter().find(whole).unwrap_or_else(|| panic!("{name} is not in the table"));
        let labels: Vec<_> = labels.keys().map(String::as_str).filter(|label| *label != "le").collect();
        assert!(labels.iter().all(|label| metric.labels.contains(label)), "{name}: {labels:?}");
        seen.insert(metric.name);
    }
    for expected in
        ["occ_database_up", "occ_agents", "occ_driver_calls_total", "occ_work_wait_seconds", "occ_http_requests_total"]
    {
        assert!(seen.contains(expected), "{expected}: {seen:?}");
    }
    assert!(!text.contains("whispering") && !text.contains("whoever") && !text.contains("ns_"), "{text}");
    let requests = figures(&text);
    let asked = |operation: &str, status: &str| {
        let wanted = |(name, labels, _): &&(String, BTreeMap<String, String>, f64)| {
            name == "occ_http_requests_total" && labels["operation"] == operation && labels["status"] == status
        };
        requests.iter().find(wanted).map(|(.., count)| *count)
    };
    assert_eq!(asked("namespace.create", "2xx"), Some(1.0), "{text}");
    assert_eq!(asked("agent.get", "4xx"), Some(1.0), "{text}");
    assert!(asked("/console/sign-in", "2xx").is_some(), "{text}");
}

/// A collector of traces.
async fn collector() -> (String, UnboundedReceiver<Span>) {
    async fn take(State(spans): State<UnboundedSender<Span>>, body: Bytes) {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        for span in scopes.flat_map(|scope| scope.spans) {
            let _ended = spans.send(span);
        }
    }
    let (spans, told) = unbounded_channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let app = axum::Router::new().route("/v1/traces", post(take)).with_state(spans);
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, told)
}

#[sqlx::test(migrations = false)]
async fn a_trace_goes_from_the_request_through_its_work_to_the_target(pool: PgPool) {
    let (url, mut told) = collector().await;
    let machine = Machine::new(&pool);
    machine.init();
    let mut serve = machine.occ(["serve"]);
    serve.env("OCC__TRACES__OTLP_ENDPOINT", url).env("OTEL_BSP_SCHEDULE_DELAY", "50");
    let _serving = Machine::served(serve);
    namespace(&machine, "papers").await;
    let mut spans: Vec<Span> = Vec::new();
    // A span is told when it ends: the request's first, the call's before its work's.
    while !spans.iter().any(|span| span.name == "work") {
        let next = tokio::time::timeout(std::time::Duration::from_mins(1), told.recv()).await;
        spans.push(next.unwrap_or_else(|_| panic!("no work among {spans:?}")).unwrap());
    }
    let says = |span: &Span, value: &str| format!("{:?}", span.attributes).contains(&format!("\"{value}\""));
    let named = |name: &str, value: &str| {
        let found = spans.iter().find(|span| span.name == name && says(span, value));
        found.unwrap_or_else(|| {
            panic!("no {name} {value} among {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>())
        })
    };
    let (request, work) = (named("request", "namespace.create"), named("work", "namespace_ensure"));
    let driver = named("driver", "ensure_namespace");
    assert!(request.trace_id == work.trace_id && work.trace_id == driver.trace_id);
    assert_eq!(driver.parent_span_id, work.span_id);
    assert_eq!(work.parent_span_id, request.span_id);
    assert!(request.parent_span_id.is_empty());
    let stored: String = sqlx::query_scalar("SELECT trace_parent FROM work").fetch_one(&pool).await.unwrap();
    assert!(stored.starts_with("00-") && stored.ends_with("-01"), "{stored}");
}

#[sqlx::test(migrations = false)]
async fn a_port_of_the_metrics_that_is_in_use_stops_the_start(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut serve = machine.occ(["serve"]);
    serve.env("OCC__METRICS__LISTEN", taken.local_addr().unwrap().to_string());
    let ran = crate::world::ended(serve);
    assert!(ran.code == 1 && ran.err.contains("metrics.listen"), "{ran:?}");
}
