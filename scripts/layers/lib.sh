# Shared by the test layers. A layer writes lines "LAYER PASSED FAILED" to $OCC_TEST_RESULTS.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
layer=$(basename "$0" .sh)
[ -n "${OCC_TEST_RESULTS:-}" ] || die "$0 is a part of a run" "run scripts/test.sh $layer (or make test-$layer)"

count() { echo "$layer $1 $2" >>"$OCC_TEST_RESULTS"; }

# check NAME COMMAND...: one check, passed or failed by its exit code.
check() {
  local name=$1
  shift
  if step "$name" "$OCC_TEST_LOGS/$layer-${name// /-}.log" "$@"; then count 1 0; else count 0 1; fi
}

# Every Rust layer builds the same set of packages, so the features are the same and nothing is built twice. The frontend
# would turn on `hydrate` beside `ssr`.
workspace=(--workspace --exclude frontend --locked)

# rust FILTER: runs the tests that the nextest expression selects.
rust() {
  local log=$OCC_TEST_LOGS/$layer-nextest.log status=0 summary
  step "$layer: build and run" "$log" cargo nextest run "${workspace[@]}" --no-fail-fast --no-tests=pass -E "$1" || status=$?
  # "Summary [ 1.2s] 12 tests run: 11 passed (1 slow), 1 failed, 0 skipped"; what did not pass failed, whatever it is called.
  summary=$(sed -n 's/^ *Summary \[.*\] *//p' "$log" | tail -n 1)
  if [ -z "$summary" ]; then
    count 0 1 # it did not build
    return
  fi
  echo "         $summary"
  awk -v layer="$layer" -v status="$status" '{
    run = $1; passed = 0
    if (match($0, /[0-9]+ passed/)) passed = substr($0, RSTART) + 0
    failed = run - passed
    if (status != 0 && failed == 0) failed = 1
    print layer, passed, failed
  }' <<<"$summary" >>"$OCC_TEST_RESULTS"
}

# test_database: one PostgreSQL for the whole run; #[sqlx::test] makes a database a test in it.
test_database() {
  step "test database: build" "$OCC_TEST_LOGS/testdb-build.log" cargo build "${workspace[@]}" --bin occ-testdb
  eval "$("$OCC_BIN/occ-testdb" start "$OCC_TEST_DIR/pg")"
}

# real_runtimes: waits for the installer that the run started.
real_runtimes() {
  local start=$SECONDS
  # The installer holds a lock while it works, so a second one just waits for the first.
  step "waiting for the pinned runtimes" "$OCC_TEST_LOGS/runtimes-wait.log" runtimes/install.sh
  say "runtimes ready after $((SECONDS - start)) s of waiting"
}
