#!/usr/bin/env bash
# Layer "up": what a newcomer does, on the real runtimes. `make up` from nothing until both Agents have answered; `occ serve` killed while
# a turn is in flight; `make down` and `make up` again. The Agents, their processes and their conversations must be what they were.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Ports and data of its own, so that a person's installation can stay up meanwhile.
export OCC_PORT=7371 OCC_TESTMODEL_PORT=18280 OCC_URL=http://127.0.0.1:7371 OCC_DATA_DIR=$OCC_TEST_DIR/up
. "$top/scripts/stack.sh"
kept=$OCC_TEST_LOGS/up
mkdir -p "$kept"

make_it() { make --no-print-directory "$1"; }

# answered LOG N: both Agents answered in LOG, to the N-th message of their conversations.
answered() {
  local agent
  for agent in embedded dedicated; do
    grep -q "^  $agent: .*message $2 from you" "$1" || { echo "$agent did not answer to message $2 in $1"; return 1; }
  done
}

# gateways: process ids of the gateways and Harnesses, sorted.
gateways() { for pid in $(supervisors); do below "$pid"; done | sort -n; }

below() {
  local child
  for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
    echo "$child"
    below "$child"
  done
}

# said AGENT CONVERSATION TEXT: the Agent says TEXT in the conversation, as read from its gateway; waits for a minute.
said() {
  local start=$SECONDS
  until curl --silent --max-time 10 -H @<(printf 'authorization: Bearer %s' "$(cat "$OCC_DATA_DIR/service-key")") \
    "$OCC_URL/api/v1/namespaces/demo/agents/$1/chat?conversation=$2" | grep -q "\"role\":\"assistant\",\"text\":\"[^\"]*$3"; do
    [ $((SECONDS - start)) -lt 60 ] || { echo "$1 did not say: $3"; return 1; }
    sleep 0.5
  done
}

# begun AGENT: starts a turn that lasts, and waits until its answer has begun to arrive. The client may then lose its server.
begun() {
  local start=$SECONDS out=$OCC_TEST_DIR/turn-$1
  "$occ" chat "$1" -n demo --conversation flight --text $'SLEEP=10 SAY one two three four five six seven it completed' >"$out" 2>&1 &
  until [ -s "$out" ]; do
    kill -0 $! 2>/dev/null && [ $((SECONDS - start)) -lt 120 ] || { echo "no answer began"; return 1; }
    sleep 0.1
  done
  cat "$out"
}

kill_serve() { kill -KILL "$(cat "$OCC_DATA_DIR/run/serve.pid")"; }
same() { [ -n "$1" ] && [ "$1" = "$2" ] || { echo "before: $1"; echo "after:  $2"; return 1; }; }
nothing_runs() { [ -z "$(supervisors)" ] && ! answers "$OCC_URL/healthz" || { echo "still running: $(supervisors)"; return 1; }; }

real_runtimes
# Whatever happens, nothing of this installation stays.
trap 'stack_stop >>"$kept/stop.log" 2>&1 || true; cp -r "$OCC_DATA_DIR/log" "$kept/" 2>/dev/null || true' EXIT

check "first up" make_it up
check "both answered" answered "$OCC_TEST_LOGS/up-first-up.log" 1
before=$(gateways)
check "turns begin" begun embedded
check "second turn begins" begun dedicated
check "serve is killed" kill_serve
wait
check "up after the kill" make_it up
check "the same processes serve" same "$before" "$(gateways)"
check "the turn in flight completed" said embedded flight "it completed"
check "the dedicated turn completed" said dedicated flight "it completed"
check "both answered after the kill" answered "$OCC_TEST_LOGS/up-up-after-the-kill.log" 2
check "down" make_it down
check "nothing runs" nothing_runs
check "up again" make_it up
check "both go on with their conversations" answered "$OCC_TEST_LOGS/up-up-again.log" 3
check "the end" make_it down
