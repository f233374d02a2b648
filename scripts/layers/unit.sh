#!/usr/bin/env bash
# Layer "unit": tests that need no database and no runtime.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

rust "not ($needs_database) and not ($needs_runtimes)"

log=$OCC_TEST_LOGS/unit-node.log
step "unit: scripts of the page" "$log" node --test --test-reporter=tap style/ || true
awk -v layer="$layer" '/^# pass /{ p = $3 } /^# tests /{ n = $3 } END { print layer, p + 0, (n == "" ? 1 : n - p) }' "$log" >>"$OCC_TEST_RESULTS"
