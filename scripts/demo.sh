#!/usr/bin/env bash
# Deploys a first embedded and a first dedicated Agent against the bundled test model server, and talks to both. Run again, it
# deploys only what has changed or does not serve.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stack.sh"

testmodel_start
say "applying docs/examples/demo.yaml"
sed "s/127\.0\.0\.1:18080/127.0.0.1:$OCC_TESTMODEL_PORT/" docs/examples/demo.yaml | "$occ" apply --grant -f -
runtimes_wait

start=$EPOCHSECONDS
until [[ $("$occ" get namespace demo -o json) == *'"status": "ready"'* ]]; do
  [ $((EPOCHSECONDS - start)) -lt 60 ] || die "the Namespace demo does not become ready" "look at: $occ get work"
  sleep 0.5
done

# wants_deploy AGENT: nothing is wanted of it yet, or its draft is not what it runs.
wants_deploy() {
  "$occ" get agent "$1" -n demo -o json | node -e '
    const agent = JSON.parse(require("fs").readFileSync(0, "utf8"));
    process.exit(agent.desiredState === "running" && agent.activeRevision && !agent.drift ? 1 : 0);'
}

# has_failed AGENT: it should serve, and does not.
has_failed() {
  "$occ" get agent "$1" -n demo -o json | node -e '
    const agent = JSON.parse(require("fs").readFileSync(0, "utf8"));
    process.exit(agent.health.state === "failed" ? 0 : 1);'
}

# talk AGENT TEXT
talk() {
  local reply
  reply=$("$occ" chat "$1" -n demo --text "$2") || die "$1 did not answer" "look at: $occ logs $1 -n demo"
  [ -n "$reply" ] || die "$1 answered nothing" "look at: $occ logs $1 -n demo"
  printf '\n  %syou%s to %s: %s\n  %s%s%s: %s\n\n' "$bold" "$plain" "$1" "$2" "$bold" "$1" "$plain" "$reply"
}

for agent in embedded dedicated; do
  if wants_deploy "$agent"; then
    say "deploying the Agent $agent"
    "$occ" deploy "$agent" -n demo --wait || die "the Agent $agent was not deployed" "look at: $occ describe agent $agent -n demo"
  elif has_failed "$agent"; then
    say "restarting the Agent $agent, which does not serve"
    "$occ" restart "$agent" -n demo --wait || die "the Agent $agent was not restarted" "look at: $occ describe agent $agent -n demo"
  else
    say "waiting for the Agent $agent to serve again"
    "$occ" wait "$agent" -n demo || die "the Agent $agent does not serve" "look at: $occ describe agent $agent -n demo"
  fi
  talk "$agent" "Hello, who are you?"
done
