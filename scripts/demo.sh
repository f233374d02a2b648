#!/usr/bin/env bash
# Deploys a first embedded and a first dedicated Agent against the bundled test model server, and talks to both.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stack.sh"

testmodel_start
say "applying docs/examples/demo.yaml"
sed "s/127\.0\.0\.1:18080/127.0.0.1:$OCC_TESTMODEL_PORT/" docs/examples/demo.yaml | "$occ" apply -n demo -f -
runtimes_wait

# talk AGENT TEXT
talk() {
  local reply
  reply=$("$occ" chat "$1" -n demo --text "$2") || die "$1 did not answer" "look at: $occ logs $1 -n demo"
  [ -n "$reply" ] || die "$1 answered nothing" "look at: $occ logs $1 -n demo"
  printf '\n  %syou%s to %s: %s\n  %s%s%s: %s\n' "$bold" "$plain" "$1" "$2" "$bold" "$1" "$plain" "$reply"
}

for agent in embedded dedicated; do
  say "deploying the Agent $agent"
  "$occ" deploy "$agent" -n demo --wait || die "the Agent $agent was not deployed" "look at: $occ describe agent $agent -n demo"
  talk "$agent" "Hello, who are you?"
done
