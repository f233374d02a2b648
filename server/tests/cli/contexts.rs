//! Several servers, one current; keys in files that nobody else reads, never in arguments or output.

use std::os::unix::fs::MetadataExt;

use sqlx::PgPool;

use crate::world::{Machine, fed};

#[sqlx::test(migrations = false)]
async fn a_server_is_remembered_and_used_from_elsewhere(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let key = std::fs::read_to_string(machine.data().join("service-key")).unwrap();
    let _serving = machine.serve();
    // Somebody else's home, without an Installation.
    let mut elsewhere = Machine::new(&pool);
    elsewhere.port = 1;
    let login = fed(elsewhere.occ(["login", &machine.url(), "--context", "prod"]), &key);
    assert_eq!(login.code, 0, "{login:?}");
    assert!(login.out.contains("prod is http://127.0.0.1:") && login.out.contains("installation"), "{login:?}");
    assert!(!format!("{login:?}").contains(key.trim()));
    let file = elsewhere.home().join(".config/occ/keys/prod");
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);

    assert!(elsewhere.run(&["whoami"]).out.starts_with("installation ("));
    assert!(elsewhere.run(&["get", "ns", "--context", "prod"]).out.contains("NAME"));
    let list = elsewhere.run(&["context", "list", "-o", "json"]);
    let list: serde_json::Value = serde_json::from_str(&list.out).unwrap();
    assert_eq!((&list[0]["name"], &list[0]["current"]), (&"prod".into(), &"*".into()));
    let unknown = elsewhere.run(&["whoami", "--context", "test"]);
    assert!(unknown.code == 1 && unknown.err.contains("there are: prod"), "{unknown:?}");
    // A key goes to its own server only.
    let mixed = elsewhere.run(&["whoami", "--context", "prod", "--url", "http://127.0.0.1:9"]);
    assert!(mixed.code == 1 && mixed.err.contains("leave --url"), "{mixed:?}");
    let foreign = elsewhere.run(&["whoami", "--url", "https://occ.example.org"]);
    assert!(foreign.code == 1 && foreign.err.contains("--key-file"), "{foreign:?}");

    assert_eq!(elsewhere.run(&["context", "use"]).code, 0);
    assert_eq!(elsewhere.run(&["whoami"]).code, 1);
    assert_eq!(elsewhere.run(&["context", "use", "prod"]).code, 0);
    assert_eq!(elsewhere.run(&["whoami"]).code, 0);
    assert_eq!(elsewhere.run(&["context", "delete", "prod"]).code, 0);
    assert!(!file.exists());
}

#[sqlx::test(migrations = false)]
async fn a_key_that_the_server_refuses_is_not_remembered(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let _serving = machine.serve();
    let forged = format!("occ_{}_{}", "0".repeat(12), "a".repeat(43));
    let refused = fed(machine.occ(["login", &machine.url()]), &forged);
    assert!(refused.code == 3 && refused.err.contains("UNAUTHENTICATED"), "{refused:?}");
    let nonsense = fed(machine.occ(["login", &machine.url()]), "hunter2");
    assert!(nonsense.code == 1 && !nonsense.err.contains("hunter2"), "{nonsense:?}");
    let plain = fed(machine.occ(["login", "http://occ.example.org"]), &forged);
    assert!(plain.code == 1 && plain.err.contains("https"), "{plain:?}");
    assert!(!machine.home().join(".config/occ").exists());
}
