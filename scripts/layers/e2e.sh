#!/usr/bin/env bash
# Layer "e2e": an installation as `make up` makes it, walked through in a real browser against the real runtimes. OCC_E2E_ONLY takes a
# pattern of test names; most need what "makes a" makes: OCC_E2E_ONLY='makes a|two people' make test-e2e.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Ports of its own, so that a person's installation can stay up meanwhile.
export OCC_PORT=7271 OCC_TESTMODEL_PORT=18180 OCC_URL=http://127.0.0.1:7271

. "$top/scripts/stack.sh"
logs=$OCC_TEST_LOGS/e2e

real_runtimes
stack_build
stack_install
# Whatever happens, nothing of this installation stays.
trap 'stack_stop >>"$logs/stop.log" 2>&1 || true' EXIT
testmodel_start
"$occ" init >"$logs/init.log"
serve_start
export OCC OCC_CHROMIUM=${OCC_CHROMIUM:-$(command -v chromium)}
OCC=$occ

# A browser that does not start is found here, with what it says.
check "the browser starts" timeout --kill-after=5 60 "$OCC_CHROMIUM" --headless --no-sandbox --disable-gpu \
  --user-data-dir="$OCC_TEST_DIR/chromium" --dump-dom about:blank

report=$OCC_TEST_DIR/e2e.json
PLAYWRIGHT_JSON_OUTPUT_NAME=$report step "e2e: browser tests" "$logs/playwright.log" \
  timeout --kill-after=30 50m npx --no-install playwright test --config end2end --reporter=list,json ${OCC_E2E_ONLY:+--grep "$OCC_E2E_ONLY"} || true
if [ -s "$report" ]; then
  # A test that passed only when repeated has failed once.
  node -e 'const { stats: s } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    console.log(process.argv[2], s.expected, s.unexpected + s.flaky + (s.expected ? 0 : 1));' "$report" "$layer" >>"$OCC_TEST_RESULTS"
else
  count 0 1
fi
