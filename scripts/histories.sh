#!/usr/bin/env bash
# Plays generated histories on the scripted target (docs/faults.md): scripts/histories.sh [COUNT], 10,000 by default. SEED plays the
# schedules of that seed, HISTORY the one in that file. Brings a test database and ends it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Short, because Unix sockets lie in it; not in /tmp, which every sandbox hides behind one of its own.
dir=$(mktemp -d /var/tmp/occ-h.XXXXXX)
logs=$OCC_CACHE/log/histories
# Nothing of a person's own installation may leak into a test, nor the other way round.
unset "${!OCC__@}" OCC_CONFIG OCC_LOG OCC_URL OCC_DATABASE_URL OCC_DATABASE_OWNER_URL DATABASE_URL
export OCC_DATA_DIR=$dir/data CARGO_TERM_COLOR=never

clean() {
  local status=$?
  trap - EXIT INT TERM
  [ ! -x "$OCC_BIN/occ-testdb" ] || "$OCC_BIN/occ-testdb" stop "$dir/pg" >/dev/null 2>&1 || true
  rm -rf "$dir"
  exit "$status"
}
trap clean EXIT
trap 'exit 130' INT TERM

scripts/setup.sh --test
# As the layers build it, so that a machine that ran them builds nothing here.
step "test database: build" "$logs/testdb-build.log" cargo build --workspace --exclude frontend --locked --bin occ-testdb
eval "$("$OCC_BIN/occ-testdb" start "$dir/pg")"
export OCC_HISTORIES=${1:-10000}
export OCC_HISTORY_SEED=${SEED:-$EPOCHSECONDS}
[ -z "${HISTORY:-}" ] || OCC_HISTORY=$(realpath "$HISTORY")
[ -z "${OCC_HISTORY:-}" ] || export OCC_HISTORY
# Not nextest, whose limit on a test's time is for the few histories that CI plays.
cargo test --workspace --exclude frontend --locked --test histories -- --nocapture --exact generated::histories_violate_no_invariant
