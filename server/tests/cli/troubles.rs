//! What stops `occ serve` before it begins, and recovery: each with its next step.

use std::net::TcpListener;
use std::process::Command;

use sqlx::PgPool;

use crate::world::Machine;

#[sqlx::test(migrations = false)]
async fn a_port_in_use_stops_serve_and_loses_nothing(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let before: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_event").fetch_one(&pool).await.unwrap();
    let taken = TcpListener::bind(("127.0.0.1", machine.port)).unwrap();
    let ran = machine.run(&["serve"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let place = format!("cannot listen on 127.0.0.1:{}: the port is in use", machine.port);
    assert!(ran.err.contains(&place) && ran.err.contains("next: ") && ran.err.contains("OCC_PORT"), "{ran:?}");
    let after: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_event").fetch_one(&pool).await.unwrap();
    assert_eq!(after, before);
    drop(taken);
    machine.serve();
}

#[sqlx::test(migrations = false)]
async fn i1_a_second_data_folder_on_the_same_database_is_refused(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    drop(machine.serve());
    let second = Machine::new(&pool);
    std::fs::create_dir(second.data()).unwrap();
    let copied = Command::new("cp").arg("-r").arg(machine.data().join("keys")).arg(second.data()).status().unwrap();
    assert!(copied.success());
    for command in [&["keyring", "rewrap"][..], &["serve"]] {
        let ran = second.run(command);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("another data folder") && ran.err.contains("next: "), "{ran:?}");
    }
    assert!(!second.data().join("host-id").exists());
    // The folder itself may move.
    let home = tempfile::tempdir().unwrap();
    let moved = home.path().join("moved");
    std::fs::rename(machine.data(), &moved).unwrap();
    drop(Machine::at(&pool, home, moved).serve());
    let bound: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_event WHERE action = 'installation.bind_host'")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(bound, 1);
}

#[sqlx::test(migrations = false)]
async fn recovery_says_whose_and_what_it_made(pool: PgPool) {
    let machine = Machine::new(&pool);
    let made = machine.init();
    let installation: uuid::Uuid = sqlx::query_scalar("SELECT id FROM installation").fetch_one(&pool).await.unwrap();
    let name = format!("ins_{}", installation.simple());
    assert!(made.out.contains(&name), "{made:?}");
    assert!(machine.init().out.contains(&format!("{name} exists already")));
    let early = machine.run(&["init", "--recover"]);
    assert!(early.code == 3 && early.err.contains("occ signin-link"), "{early:?}");
    sqlx::query("UPDATE principal SET disabled_at = now()").execute(&pool).await.unwrap();
    let link = machine.run(&["signin-link"]);
    assert!(link.code == 3 && link.err.contains("occ init --recover"), "{link:?}");
    let recovered = machine.run(&["init", "--recover"]);
    assert_eq!(recovered.code, 0, "{recovered:?}");
    for said in [&name, "enrolled Recovery (prn_", "/signin/"] {
        assert!(recovered.out.contains(said), "{said}: {recovered:?}");
    }
}
