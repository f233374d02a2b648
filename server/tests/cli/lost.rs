//! A server that is there and does not answer as it should: what is not known is said to be not known, and waiting ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::world::{Machine, Ran, ended};

/// Reads one request: its head, in lower case.
fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let _ = reader.read_exact(&mut vec![0; length]);
    head
}

/// In place of `occ serve`: gives each request one answer (an empty one hangs up), and tells what was asked.
fn server(machine: &Machine, mut answer: impl FnMut(&str) -> String + Send + 'static) -> Receiver<String> {
    std::fs::create_dir_all(machine.data()).unwrap();
    std::fs::write(machine.data().join("service-key"), "occ_key").unwrap();
    let listener = TcpListener::bind(("127.0.0.1", machine.port)).unwrap();
    let (send, asked) = channel();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let head = request(&stream);
            let answer = answer(&head);
            let _ = send.send(head);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    asked
}

fn http(status: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The idempotency keys of what was asked.
fn keys(asked: &Receiver<String>) -> Vec<Option<String>> {
    let key = |head: String| head.lines().find_map(|line| line.strip_prefix("idempotency-key: ").map(str::to_owned));
    asked.try_iter().map(key).collect()
}

const STOP: [&str; 4] = ["stop", "reader", "-n", "team"];

#[sqlx::test(migrations = false)]
async fn i17_a_lost_answer_is_asked_for_once_more_by_the_same_key_and_then_said_to_be_not_known(pool: PgPool) {
    let machine = Machine::new(&pool);
    let asked = server(&machine, |_| String::new());
    let ran = machine.run(&STOP);
    let sent = keys(&asked);
    let [Some(first), Some(second)] = sent.as_slice() else { panic!("{sent:?}: {ran:?}") };
    assert_eq!(first, second);
    assert!(ran.code == 4 && ran.err.contains("not known") && ran.err.contains(first.as_str()), "{ran:?}");
    // What takes no key is not sent again.
    let ran = machine.run(&["delete", "agent", "reader", "-n", "team"]);
    assert!(ran.code == 4 && ran.err.contains("not known"), "{ran:?}");
    assert_eq!(keys(&asked), [None]);
    // What changes nothing failed, and that is all.
    for harmless in [&["get", "agents", "-n", "team"][..], &["deploy", "reader", "-n", "team", "--dry-run"]] {
        let ran = machine.run(harmless);
        assert!(ran.code == 1 && ran.err.contains("does not answer"), "{ran:?}");
    }
    // So is what never left: nothing listens there.
    let mut unsent = machine.occ(STOP);
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    unsent.env("OCC_PORT", nobody.to_string());
    assert_eq!(ended(unsent).code, 1);
}

#[sqlx::test(migrations = false)]
async fn i17_what_the_repetition_finds_is_the_answer(pool: PgPool) {
    let machine = Machine::new(&pool);
    let problem = json!({
        "type": "https://docs.openclaw.org/problems/state-conflict", "title": "The current state does not allow this",
        "status": 409, "detail": "Wait.", "code": "STATE_CONFLICT", "requestId": null,
    });
    let mut answers =
        [String::new(), http("409 Conflict", &problem), http("502 Bad Gateway", &json!("proxy"))].into_iter();
    let asked = server(&machine, move |_| answers.next().unwrap_or_default());
    let ran = machine.run(&STOP);
    assert!(ran.code == 3 && ran.err.contains("STATE_CONFLICT"), "{ran:?}");
    assert_eq!(keys(&asked).len(), 2);
    // Somebody between who answers in the server's place knows nothing either.
    let ran = machine.run(&STOP);
    assert!(ran.code == 4 && ran.err.contains("502"), "{ran:?}");
    assert_eq!(keys(&asked).len(), 2);
}

fn deployment() -> Value {
    json!({
        "id": "dep_0192f4aabbccddeeff00112233445566", "agentId": "agt_0192f4aabbccddeeff00112233445566",
        "revisionId": "rev_0192f4aabbccddeeff00112233445566", "revision": 1, "kind": "deploy", "phase": "preparing",
        "steps": [], "attempts": 1, "deadline": "2026-11-30T21:00:00.000Z", "requestedBy": "Ada",
        "createdAt": "2026-11-30T20:00:00.000Z", "updatedAt": "2026-11-30T20:00:00.000Z",
    })
}

fn agent() -> Value {
    json!({
        "id": "agt_0192f4aabbccddeeff00112233445566", "namespace": "team", "name": "reader", "labels": {}, "generation": 1,
        "createdAt": "2026-11-30T20:00:00.000Z", "updatedAt": "2026-11-30T20:00:00.000Z", "configuration": "reading",
        "executionMode": "embedded", "resolved": {}, "desiredState": "running", "deleting": false, "routeState": "closed",
        "health": { "state": "unknown", "changedAt": "2026-11-30T20:00:00.000Z" }, "drift": false,
        "deployment": deployment(),
    })
}

/// Runs it; where it does not end in time, the test fails in place of waiting too.
fn in_time(mut command: Command) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("it waits for ever");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[sqlx::test(migrations = false)]
async fn waiting_ends_by_its_timeout_though_a_deployment_never_does_and_a_stop_was_taken_back(pool: PgPool) {
    let machine = Machine::new(&pool);
    let _asked =
        server(&machine, |head| http("200 OK", &if head.contains("/deployments/") { deployment() } else { agent() }));
    let ran = in_time(machine.occ(["wait", "reader", "-n", "team", "--timeout", "1"]));
    assert!(ran.code == 5 && ran.err.contains("within 1 s"), "{ran:?}");
    let ran = in_time(machine.occ(["stop", "reader", "-n", "team", "--wait"]));
    assert!(ran.code == 5 && ran.err.contains("wanted again"), "{ran:?}");
}
