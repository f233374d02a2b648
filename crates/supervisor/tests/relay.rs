//! The relay between scripted peers: a gateway and two Harnesses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, accept_async, client_async};

use occ_supervisor::relay::{Listening, Relay, Side, Target};
use secrecy::ExposeSecret as _;

const SOON: std::time::Duration = std::time::Duration::from_secs(10);
const TOKEN: &str = "the-gateways";

/// A Harness whose every word the test says, once it has said hello. Dropping it cuts its connections.
struct Harness {
    target: Target,
    heard: mpsc::UnboundedReceiver<Value>,
    say: mpsc::UnboundedSender<Value>,
    _task: tokio_util::task::AbortOnDropHandle<()>,
}

impl Harness {
    async fn start(side: Side) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (hear, heard) = mpsc::unbounded_channel();
        let (say, mut said) = mpsc::unbounded_channel::<Value>();
        let task = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut socket = accept_async(stream).await.unwrap();
            loop {
                tokio::select! {
                    Some(frame) = said.recv() => socket.send(Message::text(frame.to_string())).await.unwrap(),
                    frame = socket.next() => match frame {
                        Some(Ok(Message::Text(text))) => {
                            let frame: Value = serde_json::from_str(&text).unwrap();
                            if frame["method"] == "initialize" {
                                let hello = json!({"id": frame["id"], "result": {"userAgent": "test"}});
                                socket.send(Message::text(hello.to_string())).await.unwrap();
                            }
                            hear.send(frame).unwrap();
                        }
                        Some(Ok(_)) => {}
                        _ => return,
                    }
                }
            }
        });
        let target = Target { side, port, token: "the-harnesses".to_owned().into() };
        Self { target, heard, say, _task: tokio_util::task::AbortOnDropHandle::new(task) }
    }

    async fn hears(&mut self) -> Value {
        timeout(SOON, self.heard.recv()).await.expect("it hears something").unwrap()
    }

    async fn hears_hello(&mut self) {
        assert_eq!(self.hears().await["method"], "initialize");
        assert_eq!(self.hears().await["method"], "initialized");
    }

    fn says(&self, frame: Value) {
        self.say.send(frame).unwrap();
    }

    fn hears_nothing(&mut self) {
        assert!(self.heard.try_recv().is_err(), "it hears something");
    }
}

struct Gateway(WebSocketStream<TcpStream>);

impl Gateway {
    async fn connect(relay: &Relay, token: &str, origin: bool) -> Option<Self> {
        let stream = TcpStream::connect(("127.0.0.1", relay.port())).await.unwrap();
        let mut request = format!("ws://127.0.0.1:{}/", relay.port()).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        if origin {
            request.headers_mut().insert("origin", "http://127.0.0.1".parse().unwrap());
        }
        client_async(request, stream).await.ok().map(|(socket, _)| Self(socket))
    }

    async fn says(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn hears(&mut self) -> Value {
        loop {
            match timeout(SOON, self.0.next()).await.expect("it hears something") {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_))) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn is_let_go(&mut self) {
        loop {
            match timeout(SOON, self.0.next()).await.expect("it hears something") {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            }
        }
    }
}

/// A gateway that has said hello through the relay, led by the first of two Harnesses.
async fn stage() -> (Relay, Gateway, Harness, Harness) {
    let (mut old, new) = (Harness::start(Side(1)).await, Harness::start(Side(2)).await);
    let relay = Relay::start(Listening::take().await.unwrap(), TOKEN.to_owned().into(), old.target.clone());
    relay.release();
    let mut gateway = Gateway::connect(&relay, TOKEN, false).await.unwrap();
    gateway.says(json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "openclaw"}}})).await;
    assert_eq!(gateway.hears().await["id"], 1);
    gateway.says(json!({"method": "initialized"})).await;
    old.hears_hello().await;
    (relay, gateway, old, new)
}

/// The gateway starts the thread `name` on `harness`.
async fn thread(gateway: &mut Gateway, harness: &mut Harness, id: u64, name: &str) {
    gateway.says(json!({"id": id, "method": "thread/start", "params": {}})).await;
    assert_eq!(harness.hears().await["id"], id);
    harness.says(json!({"id": id, "result": {"thread": {"id": name}}}));
    assert_eq!(gateway.hears().await["id"], id);
}

/// The gateway starts a turn on `name`, and the Harness begins it.
async fn turn(gateway: &mut Gateway, harness: &mut Harness, id: u64, name: &str) {
    gateway.says(json!({"id": id, "method": "turn/start", "params": {"threadId": name}})).await;
    assert_eq!(harness.hears().await["method"], "turn/start");
    harness.says(json!({"method": "turn/started", "params": {"threadId": name, "turn": {"id": format!("u-{name}")}}}));
    harness.says(json!({"id": id, "result": {"turn": {"id": format!("u-{name}")}}}));
    assert_eq!(gateway.hears().await["method"], "turn/started");
    assert_eq!(gateway.hears().await["id"], id);
}

fn completed(name: &str) -> Value {
    json!({"method": "turn/completed", "params": {"threadId": name, "turn": {"id": format!("u-{name}"), "status": "completed"}}})
}

fn closed(name: &str) -> Value {
    json!({"method": "thread/closed", "params": {"threadId": name}})
}

/// Switches while the gateway listens; what it hears meanwhile.
async fn switch(relay: &Relay, gateway: &mut Gateway, new: &mut Harness) -> Vec<Value> {
    assert!(relay.reach(&new.target).await);
    new.hears_hello().await;
    let mut told = Vec::new();
    let mut switched = std::pin::pin!(timeout(SOON, relay.switch(&new.target)));
    // The sign that all was heard is given by whoever listens.
    loop {
        tokio::select! {
            done = &mut switched => break done.expect("the gateway hears of it"),
            frame = gateway.0.next() => if let Message::Text(text) = frame.unwrap().unwrap() {
                told.push(serde_json::from_str(&text).unwrap());
            },
        }
    }
    told
}

async fn running(relay: &Relay, side: Side, count: usize) {
    let mut changes = relay.changes();
    let counted = async {
        while relay.running(side) != count {
            changes.changed().await.unwrap();
        }
    };
    timeout(SOON, counted).await.expect("turns are counted");
}

#[tokio::test]
async fn only_the_gateways_token_opens_the_relay_and_no_page_does() {
    let (relay, _gateway, old, _new) = stage().await;
    for (token, origin) in [("", false), (old.target.token.expose_secret(), false), (TOKEN, true)] {
        assert!(Gateway::connect(&relay, token, origin).await.is_none(), "{token} {origin}");
    }
    assert!(Gateway::connect(&relay, TOKEN, false).await.is_some());
}

#[tokio::test]
async fn i2_new_turns_go_to_the_new_harness_and_a_running_one_stays_where_it_is() {
    let (relay, mut gateway, mut old, mut new) = stage().await;
    thread(&mut gateway, &mut old, 2, "idle").await;
    turn(&mut gateway, &mut old, 20, "idle").await;
    old.says(completed("idle"));
    assert_eq!(gateway.hears().await, completed("idle"));
    thread(&mut gateway, &mut old, 3, "busy").await;
    turn(&mut gateway, &mut old, 4, "busy").await;
    running(&relay, old.target.side, 1).await;

    thread(&mut gateway, &mut old, 21, "prepared").await;
    let told = switch(&relay, &mut gateway, &mut new).await;
    assert_eq!(told, [closed("idle")]);
    turn(&mut gateway, &mut old, 22, "prepared").await;
    old.says(completed("prepared"));
    assert_eq!(gateway.hears().await, completed("prepared"));
    assert_eq!(gateway.hears().await, closed("prepared"));
    // Held: nothing begins anywhere.
    gateway.says(json!({"id": 5, "method": "turn/start", "params": {"threadId": "idle"}})).await;
    gateway.says(json!({"id": 6, "method": "turn/steer", "params": {"threadId": "busy"}})).await;
    assert_eq!(old.hears().await["method"], "turn/steer", "what runs goes on");
    new.hears_nothing();
    relay.release();
    assert_eq!(new.hears().await["id"], 5);
    old.hears_nothing();
    new.says(json!({"id": 5, "error": {"code": -32600, "message": "thread not found: idle"}}));
    assert_eq!(gateway.hears().await["id"], 5);

    thread(&mut gateway, &mut new, 7, "anew").await;
    turn(&mut gateway, &mut new, 8, "anew").await;
    running(&relay, new.target.side, 1).await;
    old.says(completed("busy"));
    assert_eq!(gateway.hears().await, completed("busy"));
    assert_eq!(gateway.hears().await, closed("busy"));
    running(&relay, old.target.side, 0).await;
    relay.forget(old.target.side);
    gateway.says(json!({"id": 9, "method": "thread/unsubscribe", "params": {"threadId": "busy"}})).await;
    assert_eq!(new.hears().await["id"], 9, "nobody else knows of it any more");
}

#[tokio::test]
async fn questions_of_both_harnesses_are_told_apart() {
    let (relay, mut gateway, mut old, mut new) = stage().await;
    thread(&mut gateway, &mut old, 2, "busy").await;
    turn(&mut gateway, &mut old, 3, "busy").await;
    switch(&relay, &mut gateway, &mut new).await;
    for harness in [&old, &new] {
        harness.says(
            json!({"id": 0, "method": "item/tool/call", "params": {"threadId": "x", "side": harness.target.side.0}}),
        );
    }
    let (one, two) = (gateway.hears().await, gateway.hears().await);
    assert_ne!(one["id"], two["id"]);
    for asked in [two, one] {
        gateway.says(json!({"id": asked["id"], "result": {"to": asked["params"]["side"]}})).await;
    }
    assert_eq!(old.hears().await, json!({"id": 0, "result": {"to": 1}}));
    assert_eq!(new.hears().await, json!({"id": 0, "result": {"to": 2}}));
    // A question that is settled otherwise is named as it was asked.
    old.says(json!({"id": "s", "method": "item/tool/call", "params": {}}));
    let number = gateway.hears().await["id"].clone();
    old.says(json!({"method": "serverRequest/resolved", "params": {"threadId": "busy", "requestId": "s"}}));
    assert_eq!(gateway.hears().await["params"]["requestId"], number);
}

#[tokio::test]
async fn a_turn_is_interrupted_and_what_does_not_end_is_ended() {
    let (relay, mut gateway, mut old, mut new) = stage().await;
    for (id, name) in [(2, "hears"), (3, "deaf")] {
        thread(&mut gateway, &mut old, id, name).await;
        turn(&mut gateway, &mut old, id + 10, name).await;
    }
    switch(&relay, &mut gateway, &mut new).await;
    relay.interrupt(old.target.side);
    for _ in 0..2 {
        let asked = old.hears().await;
        assert_eq!(asked["method"], "turn/interrupt");
        if asked["params"]["threadId"] == "hears" {
            old.says(json!({"id": asked["id"], "result": {}}));
            old.says(completed("hears"));
        }
    }
    assert_eq!(gateway.hears().await, completed("hears"), "our own question's answer is not the gateway's");
    assert_eq!(gateway.hears().await, closed("hears"));
    relay.forget(old.target.side);
    let ended = gateway.hears().await;
    assert_eq!((&ended["method"], &ended["params"]["threadId"]), (&json!("turn/completed"), &json!("deaf")));
    assert_eq!(ended["params"]["turn"]["status"], "interrupted");
    running(&relay, old.target.side, 0).await;
}

#[tokio::test]
async fn an_old_harness_that_dies_takes_its_turns_along_and_nothing_else() {
    let (relay, mut gateway, mut old, mut new) = stage().await;
    thread(&mut gateway, &mut old, 2, "busy").await;
    turn(&mut gateway, &mut old, 3, "busy").await;
    gateway.says(json!({"id": 4, "method": "thread/read", "params": {"threadId": "busy"}})).await;
    old.hears().await;
    switch(&relay, &mut gateway, &mut new).await;
    relay.release();
    let side = old.target.side;
    drop(old);
    assert!(gateway.hears().await["error"].is_object());
    assert_eq!(gateway.hears().await["params"]["turn"]["status"], "failed");
    running(&relay, side, 0).await;
    thread(&mut gateway, &mut new, 5, "anew").await;
}

#[tokio::test]
async fn without_its_lead_the_gateway_is_let_go_and_may_come_again() {
    let (relay, mut gateway, old, _new) = stage().await;
    let side = old.target.side;
    drop(old);
    gateway.is_let_go().await;
    running(&relay, side, 0).await;
    // Nobody answers there: it is let go at once.
    let mut again = Gateway::connect(&relay, TOKEN, false).await.unwrap();
    again.is_let_go().await;
}

#[tokio::test]
async fn a_harness_that_is_not_reached_changes_nothing() {
    let (relay, mut gateway, mut old, _new) = stage().await;
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let target = Target { side: relay.next_side(), port: nobody, token: "t".to_owned().into() };
    assert!(!relay.reach(&target).await);
    assert_eq!(relay.lead(), old.target.side);
    thread(&mut gateway, &mut old, 2, "as-before").await;
}

#[tokio::test]
async fn the_gateways_leaving_ends_what_it_had_going_on() {
    let (relay, mut gateway, mut old, _new) = stage().await;
    thread(&mut gateway, &mut old, 2, "busy").await;
    turn(&mut gateway, &mut old, 3, "busy").await;
    running(&relay, old.target.side, 1).await;
    drop(gateway);
    running(&relay, old.target.side, 0).await;
    assert!(timeout(SOON, old.heard.recv()).await.unwrap().is_none(), "its connection ends, too");
}

#[tokio::test]
async fn so_many_turns_wait_and_one_more_is_told_to_come_again() {
    let (relay, mut gateway, _old, mut new) = stage().await;
    switch(&relay, &mut gateway, &mut new).await;
    for id in 100..165 {
        gateway.says(json!({"id": id, "method": "turn/start", "params": {"threadId": "t"}})).await;
    }
    let refused = gateway.hears().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(164), &json!(-32001)));
    relay.release();
    for id in 100..164 {
        assert_eq!(new.hears().await["id"], id, "in their order");
    }
}
