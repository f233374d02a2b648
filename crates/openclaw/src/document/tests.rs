//! Faults of documents, each with its place and its code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::json;

use super::*;

fn faults(values: &Value) -> Vec<(String, String)> {
    check(values, &[]).into_iter().map(|error| (error.pointer, error.code)).collect()
}

fn at(pointer: &str, code: &str) -> (String, String) {
    (pointer.to_owned(), code.to_owned())
}

fn bound(values: &Value, pointers: &[&str]) -> Vec<(String, String)> {
    let bindings: Vec<SecretBinding> = pointers
        .iter()
        .map(|pointer| serde_json::from_value(json!({"pointer": pointer, "secret": "telegram"})).unwrap())
        .collect();
    check(values, &bindings).into_iter().map(|error| (error.pointer, error.code)).collect()
}

#[test]
fn an_ordinary_document_has_no_faults() {
    let values = json!({
        "agents": {"defaults": {"model": "p/m", "maxConcurrent": 2}, "entries": {"main": {"name": "Ada <b>"}}},
        "models": {"providers": {"p": {
            "baseUrl": "https://models.example/v1", "api": "openai-completions", "headers": {"x-tenant": "a"},
            "models": [{"id": "m", "name": "M", "maxTokens": 4096}],
        }}},
        "channels": {"telegram": {"enabled": true, "dmPolicy": "pairing"}},
        "messages": {"responsePrefix": "line\nbreak, $5 and {braces}"},
    });
    assert!(faults(&values).is_empty(), "{:?}", faults(&values));
    assert!(bound(&values, &["/channels/telegram/botToken"]).is_empty());
}

#[test]
fn d2_managed_keys_are_refused_at_their_place() {
    assert_eq!(faults(&json!({"gateway": {"bind": "lan "}})), [at("/values/gateway/bind", "MANAGED_KEY")]);
    assert_eq!(
        faults(&json!({"agents": {"entries": {"a": {"workspace": "/"}}}, "secrets": {"providers": {}}})),
        [at("/values/secrets", "MANAGED_KEY"), at("/values/agents/entries/a/workspace", "MANAGED_KEY")]
    );
    assert_eq!(
        faults(
            &json!({"plugins": {"entries": {"codex": {"config": {"appServer": {"transport": "websocket", "url": "ws://x"}}}}}})
        ),
        [at("/values/plugins/entries/codex/config/appServer/url", "MANAGED_KEY")]
    );
}

#[test]
fn d2_an_unset_variable_is_named() {
    let errors = check(&json!({"models": {"providers": {"p": {"baseUrl": "https://${NOT_BOUND}/v1"}}}}), &[]);
    let variable = errors.iter().find(|error| error.code == "UNBOUND_VARIABLE").unwrap();
    assert_eq!(variable.pointer, "/values/models/providers/p/baseUrl");
    assert!(variable.message.contains("${NOT_BOUND}"));
    assert_eq!(faults(&json!({"a${B}": 1})), [at("/values/a${B}", "UNBOUND_VARIABLE")]);
    assert!(faults(&json!({"messages": {"responsePrefix": "${ open"}})).is_empty());
}

#[test]
fn includes_and_references_are_refused_anywhere() {
    assert_eq!(faults(&json!({"agents": {"$include": "./a.json"}})), [at("/values/agents/$include", "INCLUDE")]);
    for source in ["env", "file", "exec", "store"] {
        let reference = json!({"source": source, "provider": "default", "id": "X"});
        assert_eq!(
            faults(&json!({"channels": {"telegram": {"botToken": reference}}})),
            [at("/values/channels/telegram/botToken", "SECRET_REF")]
        );
        assert_eq!(
            faults(&json!({"models": {"providers": {"p": {"apiKey": reference}}}})),
            [at("/values/models/providers/p/apiKey", "MODEL_KEY")]
        );
    }
    assert_eq!(
        faults(&json!({"models": {"providers": {"p": {"headers": {"x-a": "secretref-env:HOME"}}}}})),
        [at("/values/models/providers/p/headers/x-a", "SECRET_REF")]
    );
}

#[test]
fn i10_secrets_written_out_are_refused_and_not_repeated() {
    let secret = "123456:telegram";
    for (values, place, code) in [
        (
            json!({"channels": {"telegram": {"botToken": secret}}}),
            "/values/channels/telegram/botToken",
            "LITERAL_SECRET",
        ),
        (json!({"hooks": {"token": secret}}), "/values/hooks/token", "LITERAL_SECRET"),
        (
            json!({"channels": {"irc": {"nickserv": {"password": secret}}}}),
            "/values/channels/irc/nickserv/password",
            "LITERAL_SECRET",
        ),
        (
            json!({"mcp": {"servers": {"s": {"headers": {"GH_KEY": secret}}}}}),
            "/values/mcp/servers/s/headers/GH_KEY",
            "LITERAL_SECRET",
        ),
        (json!({"models": {"providers": {"p": {"apiKey": secret}}}}), "/values/models/providers/p/apiKey", "MODEL_KEY"),
        (
            json!({"models": {"providers": {"p": {"headers": {"X-Api-Key": secret}}}}}),
            "/values/models/providers/p/headers/X-Api-Key",
            "MODEL_KEY",
        ),
        (
            json!({"models": {"providers": {"p": {"request": {"auth": {"mode": "header", "headerName": "x", "value": secret}}}}}}),
            "/values/models/providers/p/request/auth/value",
            "MODEL_KEY",
        ),
        (
            json!({"models": {"providers": {"p": {"baseUrl": format!("https://u:{secret}@h/v1")}}}}),
            "/values/models/providers/p/baseUrl",
            "MODEL_KEY",
        ),
    ] {
        let errors = check(&values, &[]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0].pointer.as_str(), errors[0].code.as_str()), (place, code));
        assert!(!format!("{errors:?}").contains(secret));
    }
}

#[test]
fn texts_must_be_meant() {
    for placeholder in ["<YOUR_TOKEN>", "<your channel>", "changeme", "CHANGE_ME", "your-api-key", "<MODEL NAME>"] {
        assert_eq!(
            faults(&json!({"messages": {"responsePrefix": placeholder}})),
            [at("/values/messages/responsePrefix", "PLACEHOLDER")],
            "{placeholder}"
        );
    }
    for meant in ["<b>", "<script>alert(1)</script>", "your move", "Change me gently, please", "a < b > c"] {
        assert!(faults(&json!({"messages": {"responsePrefix": meant}})).is_empty(), "{meant}");
    }
    assert_eq!(faults(&json!({"x": "a\u{0}b"})), [at("/values/x", "CONTROL_CHARACTER")]);
    assert_eq!(faults(&json!({"x\u{1b}": 1})), [at("/values/x\u{1b}", "CONTROL_CHARACTER")]);
}

#[test]
fn addresses_are_absolute_and_reach_no_infrastructure() {
    for address in ["models.example", "ftp://h/v1", "", "http://169.254.169.254/v1"] {
        assert_eq!(
            faults(&json!({"models": {"providers": {"p": {"baseUrl": address}}}})),
            [at("/values/models/providers/p/baseUrl", "INVALID_URL")],
            "{address}"
        );
    }
}

#[test]
fn bindings_go_only_where_the_runtime_reads_a_secret() {
    let values = json!({"channels": {"slack": {"botToken": null}}, "tools": {"media": {"models": [{}]}}});
    let place = "/secretBindings/0/pointer";
    for (pointer, code) in [
        ("channels/telegram/botToken", "BINDING_PLACE"),
        ("", "BINDING_PLACE"),
        ("/channels/telegram/bot~2Token", "BINDING_PLACE"),
        ("/channels/telegram/name", "BINDING_PLACE"),
        ("/gateway/auth/token", "MANAGED_KEY"),
        ("/models/providers/p/apiKey", "MODEL_KEY"),
        ("/tools/media/models/1/request/auth/token", "BINDING_PLACE"),
    ] {
        assert_eq!(bound(&values, &[pointer]), [at(place, code)], "{pointer}");
    }
    let good = [
        "/channels/slack/botToken",
        "/channels/telegram/accounts/a/botToken",
        "/tools/media/models/0/request/auth/token",
    ];
    assert!(bound(&values, &good).is_empty());
    assert_eq!(bound(&values, &[good[0], good[0]]), [at("/secretBindings/1/pointer", "DUPLICATE_BINDING")]);
    assert_eq!(bound(&values, &vec![good[0]; 65]), [at("/secretBindings", "TOO_MANY_BINDINGS")]);
    let taken = json!({"channels": {"telegram": {"botToken": 5}}});
    assert_eq!(bound(&taken, &["/channels/telegram/botToken"]), [at(place, "BINDING_PLACE")]);
}

#[test]
fn with_the_schema_each_place_is_reported_once() {
    let schema = Schema::bundled().unwrap();
    let values =
        json!({"gateway": {"bind": "lan "}, "agents": {"x": 1}, "models": {"providers": {"p": {"apiKey": "k"}}}});
    let errors: Vec<_> = check_with(&schema, &values, &[]).into_iter().map(|e| (e.pointer, e.code)).collect();
    assert_eq!(
        errors,
        [
            at("/values/gateway/bind", "MANAGED_KEY"),
            at("/values/models/providers/p/apiKey", "MODEL_KEY"),
            at("/values/agents/x", "UNKNOWN_KEY"),
        ]
    );
}

#[test]
fn secret_places_are_those_of_the_schema() {
    let found = Schema::bundled().unwrap().secret_places().join("\n") + "\n";
    if std::env::var_os("OCC_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/document/secret_places.txt"), &found).unwrap();
        return;
    }
    assert_eq!(found, SECRET_PLACES, "run this test with OCC_UPDATE=1 and look at what changed");
}

#[test]
fn managed_rows_name_places_of_the_schema() {
    let places = Schema::bundled().unwrap().places();
    for row in MANAGED {
        let named = places.iter().any(|place| crate::pointer::matches(row.pointer, place));
        assert!(named, "{} is no place of the pinned schema", row.pointer);
    }
}

/// Names of keys that start a program, say where it works, or read a file of the gateway's.
fn reaches_the_machine(key: &str) -> bool {
    let whole =
        ["command", "args", "cwd", "env", "binary", "cliPath", "driverPath", "stateDir", "dbPath", "socketPath"];
    whole.contains(&key) || key.ends_with("File") || key.ends_with("Command") || key.ends_with("executablePath")
}

/// Those that only sound like it: commands of a chat, a record of the runtime's own, words for a program that is managed.
const HARMLESS: [&str; 9] = [
    "/channels/discord/accounts/*/slashCommand",
    "/channels/discord/slashCommand",
    "/channels/slack/accounts/*/slashCommand",
    "/channels/slack/slashCommand",
    "/channels/telegram/accounts/*/customCommands/*/command",
    "/channels/telegram/customCommands/*/command",
    "/plugins/entries/file-transfer/config/literalGrants/*/command",
    "/tools/media/models/*/args",
    "/wizard/lastRunCommand",
];

#[test]
fn what_starts_a_program_or_reads_a_file_is_managed() {
    let places = Schema::bundled().unwrap().places();
    let left: Vec<_> = places
        .iter()
        .filter(|place| place.rsplit('/').next().is_some_and(reaches_the_machine))
        .filter(|place| managed::covering(place).is_none() && !HARMLESS.contains(&place.as_str()))
        .collect();
    assert!(left.is_empty(), "neither managed nor known to be harmless: {left:#?}");
}

#[test]
fn docs_list_the_managed_keys() {
    let page = managed::page();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/managed-keys.md");
    if std::env::var_os("OCC_UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
        return;
    }
    assert_eq!(page, std::fs::read_to_string(path).unwrap(), "run this test with OCC_UPDATE=1");
}

#[test]
fn d2_advice_when_sub_agents_cannot_be_spawned() {
    let mut values = json!({"agents": {"entries": {"a": {}, "b": {}, "c": {}}}});
    assert_eq!(advice(&values)[0].code, "SPAWNING_OFF");
    values["tools"] = json!({"alsoAllow": ["sessions_spawn"]});
    assert!(advice(&values).is_empty());
    assert!(advice(&json!({})).is_empty());
}

#[test]
fn advice_when_a_tool_policy_takes_codex_its_shell() {
    let with = |tools: Value| {
        let values = json!({"models": {"providers": {"codex": {"agentRuntime": {"id": "codex"}}}}, "tools": tools});
        advice(&values).into_iter().map(|advice| (advice.pointer, advice.code)).collect::<Vec<_>>()
    };
    assert!(with(json!({"deny": ["web_fetch", "tts"]})).is_empty());
    assert_eq!(with(json!({"deny": ["tts", "nodes"]})), [at("/values/tools/deny/1", "HARNESS_RESTRICTED")]);
    assert_eq!(with(json!({"allow": ["read", "write"]})), [at("/values/tools/allow/0", "HARNESS_RESTRICTED")]);
}
