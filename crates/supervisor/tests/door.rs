//! The door in front of a gateway of our own making: what passes, what stays outside, who ends what.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{SinkExt as _, StreamExt as _};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use occ_model::id::RevisionId;
use occ_supervisor::door::{Door, Leads, Look, serve};
use occ_supervisor::gateway::Address;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(10);

/// A gateway that notes what it is asked and answers with what the test sends.
struct Gateway {
    port: u16,
    asked: Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>,
    answers: UnboundedReceiver<UnboundedSender<Bytes>>,
}

impl Gateway {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (announce, answers) = unbounded();
        let notes = asked.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (notes, announce) = (notes.clone(), announce.clone());
                let answer = service_fn(move |request: Request<Incoming>| {
                    let (notes, mut announce) = (notes.clone(), announce.clone());
                    async move {
                        let (head, body) = request.into_parts();
                        let body = body.collect().await.unwrap().to_bytes();
                        notes.lock().unwrap().push((head.uri.to_string(), head.headers, body));
                        let (chunks, stream) = unbounded::<Bytes>();
                        announce.send(chunks).await.unwrap();
                        let stream = stream.map(|chunk| Ok::<_, Infallible>(Frame::data(chunk)));
                        let answer = Response::builder()
                            .header("content-type", "text/event-stream")
                            .header("x-powered-by", "the gateway")
                            .body(StreamBody::new(stream));
                        Ok::<_, Infallible>(answer.unwrap())
                    }
                });
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
        Self { port, asked, answers }
    }

    /// The next request's answer, to be sent piece by piece; its closing says that the door hung up.
    async fn next(&mut self) -> UnboundedSender<Bytes> {
        timeout(SOON, self.answers.next()).await.expect("a request arrives").unwrap()
    }

    fn leads(&self, revision: RevisionId) -> Leads {
        let token = "the-gateways-token".to_owned().into();
        Leads { revision, process: "p1".to_owned(), gateway: Address { port: self.port, token } }
    }
}

struct Street {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
    door: Door,
    revision: RevisionId,
    gateway: Gateway,
}

impl Street {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("door.sock");
        let (door, gateway, revision) = (Door::default(), Gateway::start().await, RevisionId::new());
        tokio::spawn(serve(UnixListener::bind(&path).unwrap(), door.clone()));
        door.lead(Some(gateway.leads(revision)));
        assert!(door.open(revision));
        Self { _folder: folder, path, door, revision, gateway }
    }

    fn turn(&self) -> Request<Full<Bytes>> {
        Request::post("/v1/chat/completions")
            .header("host", "agent")
            .header("content-type", "application/json")
            .header("x-occ-revision", self.revision.to_string())
            .header("x-openclaw-session-key", "agent:main:occ:c1")
            .header("authorization", "Bearer of-the-client")
            .header("cookie", "session=of-the-client")
            .header("x-forwarded-for", "203.0.113.7")
            .header("x-openclaw-scopes", "operator.admin")
            .body(Full::new(Bytes::from_static(b"{\"say\":\"hello\"}")))
            .unwrap()
    }

    async fn running(&self, turns: u32) {
        let counted = async {
            while self.door.look().running_turns != turns {
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, counted).await.expect("turns are counted");
    }
}

#[tokio::test]
async fn i10_the_clients_credentials_stay_outside_and_the_gateways_token_inside() {
    let mut street = Street::open().await;
    let sent = tokio::spawn(send(street.path.clone(), street.turn()));
    let mut chunks = street.gateway.next().await;
    chunks.send(Bytes::from_static(b"data: one\n\n")).await.unwrap();
    drop(chunks);
    let response = timeout(SOON, sent).await.unwrap().unwrap();
    assert_eq!(response.headers().get("content-type").unwrap(), "text/event-stream");
    assert!(response.headers().get("x-powered-by").is_none());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "data: one\n\n");
    let asked = street.gateway.asked.lock().unwrap();
    let (path, headers, body) = &asked[0];
    assert_eq!((path.as_str(), body.as_ref()), ("/v1/chat/completions", &b"{\"say\":\"hello\"}"[..]));
    assert_eq!(headers.get("authorization").unwrap(), "Bearer the-gateways-token");
    assert_eq!(headers.get("x-openclaw-session-key").unwrap(), "agent:main:occ:c1");
    for outside in ["cookie", "x-forwarded-for", "x-openclaw-scopes", "x-occ-revision"] {
        assert!(headers.get(outside).is_none(), "{outside}");
    }
}

#[tokio::test]
async fn an_answer_streams_and_the_clients_leaving_ends_it_at_the_gateway() {
    let mut street = Street::open().await;
    let request = street.turn();
    let path = street.path.clone();
    let client = tokio::spawn(async move {
        let stream = UnixStream::connect(&path).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let mut body = sender.send_request(request).await.unwrap().into_body();
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        connection.abort();
        first
    });
    let mut chunks = street.gateway.next().await;
    chunks.send(Bytes::from_static(b"first")).await.unwrap();
    // It arrives before there is a second: nothing is held back.
    assert_eq!(timeout(SOON, client).await.unwrap().unwrap(), "first");
    let hung_up = async {
        while chunks.send(Bytes::from_static(b"more")).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(SOON, hung_up).await.expect("the door hangs up at the gateway");
    street.running(0).await;
}

#[tokio::test]
async fn i2_a_cut_ends_what_runs_and_a_closed_door_admits_nothing() {
    let mut street = Street::open().await;
    // One that streams, and one that has no answer yet.
    let streaming = tokio::spawn(send(street.path.clone(), street.turn()));
    let mut chunks = street.gateway.next().await;
    chunks.send(Bytes::from_static(b"first")).await.unwrap();
    let mut streaming = timeout(SOON, streaming).await.unwrap().unwrap().into_body();
    street.running(1).await;

    street.door.cut();
    let rest = async { while let Some(Ok(_)) = streaming.frame().await {} };
    timeout(SOON, rest).await.expect("what streamed ends");
    street.running(0).await;
    assert_eq!(street.door.look().failed_in_a_row, 0, "our own cut is no fault of the gateway");

    let refused = send(street.path.clone(), street.turn()).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = refused.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"code":"AGENT_SWITCHING"}"#);
    assert_eq!(street.gateway.asked.lock().unwrap().len(), 1, "nothing reached the gateway");
}

async fn send(path: std::path::PathBuf, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let stream = UnixStream::connect(&path).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender.send_request(request).await.unwrap()
}

#[tokio::test]
async fn the_door_says_what_it_leads_to_and_takes_a_closed_list_of_requests() {
    let street = Street::open().await;
    let get = |path: &str| {
        let request = Request::get(path).header("host", "agent").header("x-occ-revision", street.revision.to_string());
        request.body(Full::new(Bytes::new())).unwrap()
    };
    let status = send(street.path.clone(), get("/status")).await.into_body().collect().await.unwrap().to_bytes();
    let look: Look = serde_json::from_slice(&status).unwrap();
    assert_eq!((look.revision, look.process.as_deref()), (Some(street.revision), Some("p1")));
    assert!(!String::from_utf8_lossy(&status).contains("token"));
    let outside =
        ["/", "/v1/models", "/tools/invoke", "/api/v1/admin/rpc", "/sessions/a/b/history", "/sessions//history"];
    for path in outside {
        let answer = send(street.path.clone(), get(path)).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
    }
    street.door.lead(None);
    let unrouted = send(street.path.clone(), street.turn()).await;
    let body = unrouted.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"code":"AGENT_UNROUTED"}"#);
}

#[tokio::test]
async fn a_gateway_that_is_gone_is_a_failed_turn() {
    let street = Street::open().await;
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut leads = street.gateway.leads(street.revision);
    leads.gateway.port = gone;
    street.door.lead(Some(leads));
    street.door.open(street.revision);
    let answer = send(street.path.clone(), street.turn()).await;
    assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
    assert_eq!(street.door.look().failed_in_a_row, 1);
}
