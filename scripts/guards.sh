#!/usr/bin/env bash
# Takes each guarding line of crates/xtask/guards.toml out of a copy of HEAD and expects a test named after its invariant to fail:
# scripts/guards.sh [NAME...], all by default. Brings a test database and ends it. Half an hour for all on two cores; not part of `make test`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Short, because Unix sockets lie in it; not in /tmp, which every sandbox hides behind one of its own.
dir=$(mktemp -d /var/tmp/occ-g.XXXXXX)
logs=$OCC_CACHE/log/guards
# Nothing of a person's own installation may leak into a test, nor the other way round.
unset "${!OCC__@}" OCC_CONFIG OCC_LOG OCC_URL OCC_DATABASE_URL OCC_DATABASE_OWNER_URL DATABASE_URL
export OCC_DATA_DIR=$dir/data CARGO_TERM_COLOR=never

clean() {
  local status=$?
  trap - EXIT INT TERM
  [ ! -x "$OCC_BIN/occ-testdb" ] || "$OCC_BIN/occ-testdb" stop "$dir/pg" >/dev/null 2>&1 || true
  forget "$OCC_DATA_DIR"
  rm -rf "$dir"
  exit "$status"
}
trap clean EXIT
trap 'exit 130' INT TERM

scripts/setup.sh --test
# As the layers build it, so that a machine that ran them builds nothing here.
step "test database: build" "$logs/testdb-build.log" cargo build --workspace --exclude frontend --locked --bin occ-testdb
eval "$("$OCC_BIN/occ-testdb" start "$dir/pg")"
cargo xtask guards "$@"
