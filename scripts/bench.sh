#!/usr/bin/env bash
# `make bench`: measures the product beside its references and prints figures, ratios and goals: scripts/bench.sh [NAME...], all by
# default. Builds in release; the machine should have nothing else to do. BENCH_QUICK=1 shows in a minute or two that all of it runs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$top/scripts/stack.sh"

logs=$OCC_CACHE/log/bench
names=("$@")
# wants NAME...: one of them is to be measured.
wants() {
  [ ${#names[@]} -gt 0 ] || return 0
  local name
  for name in "$@"; do case " ${names[*]} " in *" $name "*) return 0 ;; esac; done
  return 1
}

# Short, because Unix sockets lie in it; on a disk, because what is durable shall cost what it costs.
dir=$(mktemp -d /var/tmp/occ-b.XXXXXX)
# Nothing of a person's own installation may be measured or touched.
unset "${!OCC__@}" OCC_CONFIG OCC_LOG OCC_URL OCC_DATABASE_URL OCC_DATABASE_OWNER_URL DATABASE_URL
export OCC_DATA_DIR=$dir/none CARGO_TERM_COLOR=never
bench=

# Ends what this run started, whatever ends the run. The program ends its databases itself.
clean() {
  local status=$? data
  trap - EXIT INT TERM
  if [ -n "$bench" ]; then
    kill -TERM "$bench" 2>/dev/null || true
    wait "$bench" || true
  fi
  for data in "$dir"/occ-*/; do
    [ -d "$data" ] || continue
    OCC_DATA_DIR=${data%/}
    supervisors_stop || true
    forget "$OCC_DATA_DIR"
  done
  rm -rf "$dir"
  exit "$status"
}
OCC_RELEASE=$CARGO_TARGET_DIR/release
trap clean EXIT
trap 'exit 130' INT TERM

scripts/setup.sh
# The program as it ships: built alone, so that nothing the benchmarks need changes what is in it.
if wants console serving memory; then
  step "compiling occ for release (the first time takes many minutes)" "$logs/occ.log" \
    cargo build --release --locked --package server --bin occ || die "occ does not compile" "see $logs/occ.log"
fi
if wants console; then
  # Into a place of its own: `make up` keeps its quick build.
  step "building the console for release" "$logs/site.log" cargo xtask site --release --to site-release ||
    die "the console could not be built" "see $logs/site.log"
fi
step "compiling the benchmarks" "$logs/bench.log" \
  cargo build --release --locked --package occ-bench --features references || die "the benchmarks do not compile" "see $logs/bench.log"
if wants serving; then
  step "installing OpenClaw and Codex" "$logs/runtimes.log" runtimes/install.sh || die "the runtimes could not be installed" "see $logs/runtimes.log"
fi

say "measuring; this takes about half an hour, ten minutes of it with nothing to see"
mkdir -p "$CARGO_TARGET_DIR"
"$OCC_RELEASE/occ-bench" ${BENCH_QUICK:+--quick} --dir "$dir" --occ "$OCC_RELEASE/occ" --site "$CARGO_TARGET_DIR/site-release" \
  --json "$CARGO_TARGET_DIR/bench.json" ${names[@]+"${names[@]}"} &
bench=$!
status=0
wait "$bench" || status=$?
bench=
say "the same as JSON: $CARGO_TARGET_DIR/bench.json"
exit "$status"
