#!/usr/bin/env bash
# Runs test layers and sums them up: scripts/test.sh [LAYER...], all by default. Does its own set-up. Ends with the line
# "N passed, N failed"; exit code 1 when anything failed or a layer could not run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
all=(static unit postgres conformance e2e up local)
layers=("$@")
[ ${#layers[@]} -gt 0 ] || layers=("${all[@]}")
for layer in "${layers[@]}"; do
  [ -f "scripts/layers/$layer.sh" ] || die "there is no test layer $layer" "choose of: ${all[*]}"
done

# Short, because Unix sockets lie in it; not in /tmp, which every sandbox hides behind one of its own. Removed at the end; the logs and
# artefacts are what is kept.
OCC_TEST_DIR=$(mktemp -d /var/tmp/occ-t.XXXXXX)
export OCC_TEST_DIR OCC_TEST_LOGS=$OCC_CACHE/log/test
export OCC_TEST_RESULTS=$OCC_TEST_DIR/results
mkdir -p "$OCC_TEST_LOGS"
: >"$OCC_TEST_RESULTS"
# Nothing of a person's own installation may leak into a test, nor the other way round.
unset "${!OCC__@}" OCC_CONFIG OCC_LOG OCC_URL OCC_DATABASE_URL OCC_DATABASE_OWNER_URL DATABASE_URL
export OCC_DATA_DIR=$OCC_TEST_DIR/data CARGO_TERM_COLOR=never

runtimes=
# Ends what this run started, whatever ends the run.
clean() {
  local status=$?
  trap - EXIT INT TERM
  [ -z "$runtimes" ] || kill "$runtimes" 2>/dev/null || true
  [ ! -x "$OCC_BIN/occ-testdb" ] || "$OCC_BIN/occ-testdb" stop "$OCC_TEST_DIR/pg" >/dev/null 2>&1 || true
  forget "$OCC_DATA_DIR"
  rm -rf "$OCC_TEST_DIR"
  exit "$status"
}
trap clean EXIT
trap 'exit 130' INT TERM

say "${bold}test layers: ${layers[*]}${plain}"
scripts/setup.sh --test

# The real runtimes are large, so they arrive while everything compiles; the layers that need them wait for them.
export OCC_RUNTIMES_LOG=$OCC_TEST_LOGS/runtimes.log
runtimes/install.sh >"$OCC_RUNTIMES_LOG" 2>&1 </dev/null &
runtimes=$!

for layer in "${layers[@]}"; do
  start=$EPOCHSECONDS
  say "${bold}layer $layer${plain}"
  "scripts/layers/$layer.sh" || echo "$layer 0 1" >>"$OCC_TEST_RESULTS"
  awk -v layer="$layer" '$1 == layer { p += $2; f += $3 } END { printf "         %s: %d passed, %d failed", layer, p, f }' "$OCC_TEST_RESULTS"
  printf ' in %d s\n' $((EPOCHSECONDS - start))
done

say "logs of this run: $OCC_TEST_LOGS"
awk '{ p += $2; f += $3 } END { printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }' "$OCC_TEST_RESULTS"
