//! The two walls, tried from real turns of the real runtimes: what a model may call reaches the workspace and nothing else.
//!
//! A probe that gets somewhere says `REACHED`; a reply with that word, or with any secret of the stand in it, fails the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod common;
mod walled;

use common::processes::{gone, under};
use occ_model::agent::ExecutionMode;
use serde_json::{Value, json};
use walled::Walled;

/// Paths that are tried in one turn.
const AT_ONCE: usize = 5;

/// Tools that act on the gateway's machine, from its network, or on the gateway itself.
const GATEWAY_SIDE: [&str; 49] = [
    "apply_patch",
    "automations",
    "browser",
    "canvas",
    "code_execution",
    "codex_plugins",
    "computer",
    "conversations_list",
    "conversations_send",
    "conversations_turn",
    "cron",
    "dashboard",
    "edit",
    "gateway",
    "gateway_exec",
    "gateway_process",
    "github_identity_status",
    "image",
    "image_generate",
    "ls",
    "memory_get",
    "memory_search",
    "mobile_ui",
    "music_generate",
    "nodes",
    "openclaw",
    "pdf",
    "plugins",
    "portal",
    "process",
    "read",
    "screen",
    "secrets",
    "sessions_send",
    "sessions_spawn",
    "skill_workshop",
    "swarm",
    "terminal",
    "theme",
    "tool_call",
    "tool_describe",
    "tool_search",
    "transcripts",
    "tts",
    "video_generate",
    "web_fetch",
    "web_search",
    "write",
    "x_search",
];

#[tokio::test(flavor = "multi_thread")]
async fn in_embedded_mode_nothing_but_the_workspace_is_reached() {
    let walled = Walled::deploy(ExecutionMode::Embedded).await;
    walled.the_probe_is_able();
    let probe = walled.probe();

    // Commands, in each way that the tool offers.
    let secrets = walled.secrets().display().to_string();
    let ways = [
        ("exec", json!({"command": probe})),
        ("exec", json!({"command": probe, "workdir": "/"})),
        ("exec", json!({"command": probe, "workdir": secrets})),
        ("exec", json!({"command": probe, "pty": true})),
        ("exec", json!({"command": probe, "host": "gateway"})),
        ("exec", json!({"command": probe, "env": {"OCC_X": "1", "WORKSPACE": "/", "PWD": "/"}})),
        ("tool_call", json!({"id": "openclaw:core:exec", "args": {"command": probe}})),
    ];
    walled.all_must_probe(ways).await;
    // Ways around the wall are refused; were they not, the probe would tell.
    let around = [
        json!({"command": probe, "host": "node"}),
        json!({"command": probe, "host": "sandbox"}),
        json!({"command": probe, "elevated": true}),
        json!({"command": probe, "env": {"SHELL": "/bin/sh"}}),
        json!({"command": probe, "env": {"LD_PRELOAD": "/tmp/x.so"}}),
        json!({"command": probe, "env": {"LD_LIBRARY_PATH": "/tmp", "LD_AUDIT": "/tmp/x.so", "BASH_ENV": "/tmp/x"}}),
    ];
    walled.none_must(around.map(|args| ("exec", args))).await;
    // In the background, and by what is typed into it.
    let started = walled.call("exec", json!({"command": probe, "background": true})).await;
    walled.must_say(&json!({"action": "poll", "sessionId": session(&started), "timeout": 20_000}), "probed").await;
    let started = walled.call("exec", json!({"command": "bash -s", "background": true, "pty": true})).await;
    let typed = json!({"action": "write", "sessionId": session(&started), "data": format!("{probe}\nexit\n")});
    walled.must_not("process", typed).await;
    walled.must_say(&json!({"action": "log", "sessionId": session(&started)}), "probed").await;

    // The file tools: by path, by a link, by going up.
    walled.call("exec", json!({"command": walled.links()})).await;
    for paths in walled.files().chunks(AT_ONCE) {
        let reply = walled.none_must(paths.iter().flat_map(|path| in_embedded_mode(path))).await;
        assert_eq!(reply.matches("escapes sandbox root").count(), 5 * paths.len(), "{reply}");
        assert_eq!(reply.matches("\"code\": \"MEMORY_").count(), paths.len(), "{reply}");
    }
    let url = format!("http://127.0.0.1:{}/", walled.others_port());
    walled.must_not("tool_call", json!({"id": "web_fetch", "args": {"url": url}})).await;
    let hidden = ["gateway", "nodes", "openclaw", "plugins", "portal", "secrets", "terminal"];
    let reply = walled
        .none_must(hidden.map(|tool| ("tool_call", json!({"id": tool, "args": {"action": "list", "command": probe}}))))
        .await;
    assert_eq!(reply.matches("Unknown tool id").count(), hidden.len(), "{reply}");
    walled.nothing_was_touched();

    // A command that runs ends with the Agent.
    walled.call("exec", json!({"command": "sleep 1000; sleep 1000", "background": true})).await;
    let before = under(walled.supervisor());
    walled.stop().await;
    gone(&before).await;
    walled.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_dedicated_mode_nothing_but_the_workspace_is_reached_and_nothing_acts_on_the_gateways_side() {
    let walled = Walled::deploy(ExecutionMode::Dedicated).await;
    walled.the_probe_is_able();
    let probe = walled.probe();

    let script = format!("text(JSON.stringify(await tools.exec_command({})))", json!({"cmd": probe}));
    let ways = [
        ("exec_command", json!({"cmd": probe})),
        ("exec_command", json!({"cmd": probe, "shell": "/bin/sh", "login": false})),
        ("exec_command", json!({"cmd": probe, "workdir": "/"})),
        ("exec_command", json!({"cmd": probe, "tty": true})),
        ("exec", json!(script)),
    ];
    walled.all_must_probe(ways).await;
    walled.must_not("exec_command", json!({"cmd": probe, "sandbox_permissions": "require_escalated"})).await;
    walled.must_not("exec", json!("const fs = await import('fs'); text(fs.readdirSync('/').join())")).await;
    // What is typed into a command that runs. It ends with the turn, so one script does both.
    let typed = format!("{probe}\nexit\n");
    let script = format!(
        "let said = await tools.exec_command({{cmd: 'bash -s', tty: true, yield_time_ms: 500}}); let id = said.session_id; \
         let all = ''; let typed = {typed}; while (id) {{ \
         said = await tools.write_stdin({{session_id: id, chars: typed, yield_time_ms: 5000}}); \
         typed = ''; all += said.output; id = said.session_id; }} text(all)",
        typed = json!(typed),
    );
    walled.all_must_probe([("exec", json!(script))]).await;

    walled.call("exec_command", json!({"cmd": walled.links()})).await;
    let sent = walled.call("message", json!({"action": "send", "message": "see", "media": "HELLO.md"})).await;
    assert!(sent.contains("Sent visible reply"), "{sent}");
    for paths in walled.files().chunks(AT_ONCE) {
        let reply = walled.none_must(paths.iter().flat_map(|path| in_dedicated_mode(path))).await;
        assert_eq!(reply.matches("could not be").count(), paths.len(), "{reply}");
    }
    let elsewhere = format!("ws://127.0.0.1:{}", walled.others_port());
    let args = json!({"action": "send", "message": "see", "gatewayUrl": elsewhere, "gatewayToken": "x"});
    assert!(walled.must_not("message", args).await.contains("gatewayUrl override rejected"));
    let args = json!({"command": probe, "cmd": probe, "path": "/", "action": "list"});
    let reply = walled.none_must(GATEWAY_SIDE.map(|tool| (tool, args.clone()))).await;
    assert_eq!(reply.matches("unsupported call").count(), GATEWAY_SIDE.len(), "{reply}");
    // From a script too, where tools that are offered later can be called.
    let tools = walled.call("exec", json!("text(Object.keys(tools).join(' '))")).await;
    for tool in tools.split_whitespace().map(|name| name.trim_start_matches("openclaw__")) {
        assert!(!GATEWAY_SIDE.contains(&tool) && tool != "web_fetch", "{tool} is offered: {tools}");
    }
    walled.nothing_was_touched();
    walled.end().await;
}

/// Each tool of a gateway that takes a path, on `path`.
fn in_embedded_mode(path: &str) -> [(&'static str, Value); 6] {
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n+changed\n*** End Patch");
    [
        ("read", json!({"path": path})),
        ("ls", json!({"path": path})),
        ("write", json!({"path": path, "content": "changed"})),
        ("edit", json!({"path": path, "edits": [{"oldText": "a", "newText": "b"}]})),
        ("apply_patch", json!({"input": patch})),
        ("tool_call", json!({"id": "memory_get", "args": {"path": path}})),
    ]
}

/// Each tool that a dedicated Agent has and that takes a path, on `path`: Codex's own, and the gateway's that sends a file with a message.
/// What a patch changes lies in the sandbox of that command; whether it is the real file, the end of the test sees.
fn in_dedicated_mode(path: &str) -> [(&'static str, Value); 3] {
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n+changed\n*** End Patch");
    [
        ("view_image", json!({"path": path})),
        ("exec_command", json!({"cmd": format!("apply_patch '{patch}'")})),
        ("message", json!({"action": "send", "message": "see", "media": path})),
    ]
}

/// The word that follows.
fn after<'a>(text: &'a str, before: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text}")).1;
    rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap()
}

/// The name of a background command.
fn session(reply: &str) -> &str {
    after(reply, "(session ")
}
