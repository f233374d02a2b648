//! Rotation of the key ring beside a server that runs.

use sqlx::PgPool;

use crate::world::{Machine, fed};

const SECRET: &str = "kind: Namespace\nname: team\n---\nkind: Secret\nname: key\nvalue: hunter2\n";

#[sqlx::test(migrations = false)]
async fn a_new_key_wraps_every_value_and_the_old_one_is_free(pool: PgPool) {
    let machine = Machine::new(&pool);
    machine.init();
    let _serving = machine.serve();
    let namespace = fed(machine.occ(["apply", "-f", "-"]), "kind: Namespace\nname: team\n");
    assert_eq!(namespace.code, 0, "{namespace:?}");
    sqlx::query("UPDATE namespace SET status = 'ready'").execute(&pool).await.unwrap();
    let applied = fed(machine.occ(["apply", "-f", "-"]), SECRET);
    assert_eq!(applied.code, 0, "{applied:?}");
    let rotated = machine.run(&["keyring", "rotate"]);
    assert_eq!(rotated.code, 0, "{rotated:?}");
    assert!(
        rotated.out.contains("added the key 0002") && rotated.out.contains("1 values are wrapped again"),
        "{rotated:?}"
    );
    let keys: Vec<String> = sqlx::query_scalar("SELECT ring_key FROM secret_version").fetch_all(&pool).await.unwrap();
    assert_eq!(keys, ["0002"]);
    let status = machine.run(&["keyring", "status", "-o", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!((&status[0]["id"], &status[0]["values"]), (&"0002".into(), &1.into()));
    assert_eq!((&status[1]["id"], &status[1]["values"]), (&"0001".into(), &0.into()));
    let actors: Vec<String> =
        sqlx::query_scalar("SELECT actor_name FROM audit_event WHERE action = 'secret.rewrap' AND outcome = 'success'")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(actors, ["Administrator"]);
    assert!(machine.run(&["keyring", "rewrap"]).out.starts_with("0 values"));
    // A key that values need and that is gone is found.
    std::fs::remove_file(machine.data().join("keys/ring/0002")).unwrap();
    let doctor = machine.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("wrapped by the key 0002, which is not in"), "{doctor:?}");
}
