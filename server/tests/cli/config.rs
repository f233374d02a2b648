//! A configuration that cannot be used: the file, the place, a next step; and nothing is begun.

use sqlx::PgPool;

use crate::world::Machine;

#[sqlx::test(migrations = false)]
async fn a_broken_file_stops_every_command_and_nothing_is_touched(pool: PgPool) {
    let machine = Machine::new(&pool);
    std::fs::create_dir(machine.data()).unwrap();
    let file = machine.data().join("occ.toml");
    for (text, place) in [
        ("[server]\nlitsen = \"127.0.0.1:1\"\n", ":2:1, server.litsen: unknown field"),
        ("[controller]\nslots = \"hunter2\"\n", ":2:9, controller.slots: a text stands here"),
        ("[log]\nfilter = \"${OCC_NOT_SET}\"\n", ":2:10, log.filter: the environment variable OCC_NOT_SET is not set"),
    ] {
        std::fs::write(&file, text).unwrap();
        for command in [&["init"][..], &["serve"], &["config", "check"], &["doctor"]] {
            let ran = machine.run(command);
            assert_eq!(ran.code, 1, "{ran:?}");
            let expected = format!("error: {}{place}", file.display());
            assert!(ran.err.starts_with(&expected) && ran.err.contains("\n  next: "), "{ran:?}");
            assert!(!ran.err.contains("hunter2"), "{ran:?}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(machine.data()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["occ.toml"]);
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(tables, 0);
    // The one command that helps to correct it works.
    let schema = machine.run(&["config", "schema"]);
    assert_eq!(schema.code, 0);
    let schema: serde_json::Value = serde_json::from_str(&schema.out).unwrap();
    assert!(schema.pointer("/properties/server").is_some());
}
