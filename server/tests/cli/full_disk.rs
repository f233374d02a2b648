//! A full disk, for real: the data directory is a small file system in a mount namespace of the test's own, which needs no root.

use std::path::PathBuf;
use std::process::Command;

use occ_testmodel::{Config, TestModel};
use sqlx::PgPool;

use crate::world::{Machine, Ran, ended};

/// Runs a shell script on a machine whose data directory has `size`. `$OCC` is the program; `fill KEEP` leaves so many KiB free.
fn script(machine: &Machine, size: &str, text: &str) -> Ran {
    const FUNCTIONS: &str = r#"
        set -eu
        fill() {
            free=$(df --output=avail -k "$OCC_DATA_DIR" | tail -n 1)
            dd if=/dev/zero of="$OCC_DATA_DIR/fill" bs=1k count=$((free - $1)) 2>/dev/null
        }
        serve() {
            "$OCC" serve 2>>"$HOME/serve.log" &
            served=$!
            trap 'kill $served || true; wait $served || true; cat "$HOME/serve.log" >&2' EXIT
            until "$OCC" whoami >/dev/null 2>&1; do kill -0 $served; done
        }
        ready() { until "$OCC" get ns team -o json | grep -q '"status": "ready"'; do :; done; }
        fails() { wanted=$1; shift; code=0; "$@" || code=$?; [ "$code" = "$wanted" ] || { echo "exit $code of: $*"; exit 1; }; }
        mkdir -p "$OCC_DATA_DIR"
    "#;
    let text = format!("{FUNCTIONS}\nmount -t tmpfs -o size={size},mode=0700 none \"$OCC_DATA_DIR\"\n{text}");
    let mut command = Command::new("unshare");
    let environment = machine.occ([""; 0]);
    command.args(if rustix::process::geteuid().is_root() { &["--mount"][..] } else { &["--mount", "--map-root-user"] });
    command.args(["sh", "-c", &text]).env_clear();
    command.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("OCC", env!("CARGO_BIN_EXE_occ"));
    ended(command)
}

/// An Agent that asks the model server at `model`.
fn documents(model: &str) -> String {
    format!(
        r#"cat >"$HOME/team.json" <<'END'
[{{"kind": "Namespace", "name": "team"}},
 {{"kind": "Secret", "name": "key", "value": "demo"}},
 {{"kind": "Configuration", "name": "base", "values": {{
    "models": {{"providers": {{"test": {{"baseUrl": "{model}", "api": "openai-completions", "models": [
        {{"id": "test-1", "name": "Test model", "contextWindow": 128000, "maxTokens": 4096}}]}}}}}},
    "agents": {{"defaults": {{"model": "test/test-1"}}}}}}}},
 {{"kind": "Agent", "name": "reader", "configuration": "base", "executionMode": "embedded",
   "harnessAuth": {{"provider": "test", "apiKey": "key"}}}}]
END
echo '{{"kind": "Namespace", "name": "team"}}' | "$OCC" apply -f -
ready
"$OCC" apply --grant -f "$HOME/team.json"
"#
    )
}

#[sqlx::test(migrations = false)]
async fn init_and_serve_say_so_and_what_was_there_is_there_afterwards(pool: PgPool) {
    let machine = Machine::new(&pool);
    let ran = script(
        &machine,
        "256k",
        r#"
        fill 0
        fails 1 "$OCC" init
        [ ! -e "$OCC_DATA_DIR/service-key" ]
        rm "$OCC_DATA_DIR/fill"
        "$OCC" init
        before=$(cat "$OCC_DATA_DIR"/keys/ring/* "$OCC_DATA_DIR/service-key" | sha256sum)
        fill 0
        fails 1 "$OCC" serve
        fails 1 "$OCC" doctor
        rm "$OCC_DATA_DIR/fill"
        [ "$before" = "$(cat "$OCC_DATA_DIR"/keys/ring/* "$OCC_DATA_DIR/service-key" | sha256sum)" ]
        serve
        "$OCC" whoami
        "#,
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.err.matches("next: free space there").count(), 2, "{ran:?}");
    assert!(ran.out.contains("made the Installation") && ran.out.contains("installation ("), "{ran:?}");
    assert!(ran.out.contains("WRONG  0 MiB are free on the disk of the data directory"), "{ran:?}");
}

#[sqlx::test(migrations = false)]
async fn a_deployment_fails_with_its_code_and_can_be_repeated(pool: PgPool) {
    let machine = Machine::new(&pool);
    crate::doctor::install_runtimes(&machine);
    let text = format!(
        r#"
        export OCC__LOCAL__ISOLATION=none
        "$OCC" init
        serve
        {}
        fill 0
        fails 5 "$OCC" deploy reader -n team --wait
        "$OCC" get agent reader -n team -o json
        rm "$OCC_DATA_DIR/fill"
        "$OCC" deploy reader -n team --dry-run
        "#,
        documents("http://127.0.0.1:9/v1")
    );
    let ran = script(&machine, "1m", &text);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("(DISK_FULL)") && ran.err.contains("next: Free space on the target"), "{ran:?}");
    assert!(ran.out.contains("\"code\": \"DISK_FULL\"") && ran.out.contains("\"activeRevision\": null"), "{ran:?}");
}

/// With the real runtime: what serves goes on while its successor cannot be prepared.
#[sqlx::test(migrations = false)]
#[ignore = "not seen passing yet: the machine was too busy for a first start; run it by name with -- --ignored"]
async fn real_a_full_disk_at_a_replacement_leaves_the_active_revision_serving(pool: PgPool) {
    let model = TestModel::start(Config::default()).await.unwrap();
    // Not in /tmp: Agents see one of their own there.
    let folder = tempfile::Builder::new().prefix("occ-t.").tempdir_in("/var/tmp").unwrap();
    let data = folder.path().join("data");
    let machine = Machine::at(&pool, folder, data);
    std::os::unix::fs::symlink(real_runtimes(), machine.home().join("runtimes")).unwrap();
    let text = format!(
        r#"
        "$OCC" init
        serve
        {}
        "$OCC" deploy reader -n team --wait
        "$OCC" chat reader -n team --text before
        fill 307200
        fails 5 "$OCC" deploy reader -n team --wait
        "$OCC" chat reader -n team --text meanwhile
        "$OCC" get agent reader -n team -o json
        rm "$OCC_DATA_DIR/fill"
        "$OCC" deploy reader -n team --wait
        "$OCC" chat reader -n team --text after
        "$OCC" stop reader -n team --wait
        "$OCC" delete agent reader -n team
        "$OCC" wait reader -n team --for deleted
        "#,
        documents(&model.base_url())
    );
    // The model server is a task of this thread's runtime.
    let ran = tokio::task::spawn_blocking(move || script(&machine, "1g", &text)).await.unwrap();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("(DISK_FULL)"), "{ran:?}");
    for said in ["revision 1 serves", "before", "meanwhile", "\"routeState\": \"open\"", "revision 3 serves", "after"] {
        assert!(ran.out.contains(said), "{said}: {ran:?}");
    }
}

fn real_runtimes() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cache"));
    std::env::var_os("OCC_RUNTIMES_DIR").map_or_else(|| cache.join("occ/runtimes"), PathBuf::from)
}
