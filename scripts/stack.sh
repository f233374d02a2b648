# Building, starting and stopping one installation in $OCC_DATA_DIR; used by `make up` and by the browser tests. Sourced.
# shellcheck shell=bash

OCC_PORT=${OCC_PORT:-7171}
OCC_TESTMODEL_PORT=${OCC_TESTMODEL_PORT:-18080}
export OCC_URL=${OCC_URL:-http://127.0.0.1:$OCC_PORT}
# Public on purpose: it opens a program that invents its answers.
OCC_TESTMODEL_KEY=demo-key-of-the-bundled-test-model
logs=$OCC_DATA_DIR/log
occ=$OCC_DATA_DIR/bin/occ

# The same package set as the tests build, so that neither builds a dependency twice.
stack_build() {
  step "compiling occ (the first time takes some minutes)" "$OCC_CACHE/log/build.log" \
    cargo build --workspace --exclude frontend --locked --bin occ --bin occ-testmodel ||
    die "occ does not compile" "see the lines above, or the whole log in $OCC_CACHE/log/build.log"
  step "building the console" "$OCC_CACHE/log/site.log" cargo xtask site ||
    die "the console could not be built" "see the lines above, or the whole log in $OCC_CACHE/log/site.log"
}

# A copy in the data directory: what runs there stays what it is while the next one compiles.
stack_install() {
  local program
  mkdir -p "$OCC_DATA_DIR/bin" "$logs"
  chmod 700 "$OCC_DATA_DIR"
  for program in occ occ-testmodel; do
    cmp --silent "$OCC_BIN/$program" "$OCC_DATA_DIR/bin/$program" && continue
    cp "$OCC_BIN/$program" "$OCC_DATA_DIR/bin/$program.new"
    mv "$OCC_DATA_DIR/bin/$program.new" "$OCC_DATA_DIR/bin/$program"
  done
  rm -rf "$OCC_DATA_DIR/site.new"
  cp -r "$CARGO_TARGET_DIR/site" "$OCC_DATA_DIR/site.new"
  rm -rf "$OCC_DATA_DIR/site"
  mv "$OCC_DATA_DIR/site.new" "$OCC_DATA_DIR/site"
}

# runtimes_begin: fetches the pinned runtimes beside everything else; the console says what is still arriving.
runtimes_begin() {
  runtimes/install.sh --check >/dev/null 2>&1 && return
  say "fetching OpenClaw and Codex in the background (1.2 GB unpacked; log: $logs/runtimes.log)"
  detach runtimes "$logs/runtimes.log" runtimes/install.sh
}

# runtimes_stop: ends a background installation with all its children; what it had begun is no obstacle to the next.
runtimes_stop() {
  local file=$OCC_DATA_DIR/run/runtimes.pid
  ! alive "$file" install.sh || kill -TERM -- "-$(cat "$file")"
  rm -f "$file"
}

# runtimes_wait: until they are there. The installer holds a lock, so a second one waits for the first.
runtimes_wait() {
  runtimes/install.sh --check >/dev/null 2>&1 && return
  step "waiting for OpenClaw and Codex" "$logs/runtimes-wait.log" runtimes/install.sh ||
    die "the runtimes could not be installed" "see $logs/runtimes.log, then run this again"
}

testmodel_start() {
  alive "$OCC_DATA_DIR/run/testmodel.pid" occ-testmodel && return
  free_port "$OCC_TESTMODEL_PORT" OCC_TESTMODEL_PORT
  # The keys by the environment: a command line can be read by everybody.
  OCC_TESTMODEL_KEYS=$OCC_TESTMODEL_KEY detach testmodel "$logs/testmodel.log" \
    "$OCC_DATA_DIR/bin/occ-testmodel" --listen "127.0.0.1:$OCC_TESTMODEL_PORT"
  until_up "the test model server" "http://127.0.0.1:$OCC_TESTMODEL_PORT/healthz" testmodel
}

# free_port PORT VARIABLE
free_port() {
  ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || die "port $1 is in use by another program" "end it, or choose another: make up $2=…"
}

# until_up WHAT URL NAME: until URL answers, or the process has ended.
until_up() {
  local start=$EPOCHSECONDS
  until answers "$2"; do
    kill -0 "$(cat "$OCC_DATA_DIR/run/$3.pid")" 2>/dev/null || { tail -n 20 "$logs/$3.log" | sed 's/^/    /'; die "$1 ended while it started" "see $logs/$3.log"; }
    [ $((EPOCHSECONDS - start)) -lt 60 ] || die "$1 does not answer at $2" "see $logs/$3.log"
    sleep 0.2
  done
}

serve_start() {
  local pid_file=$OCC_DATA_DIR/run/serve.pid
  if alive "$pid_file" occ; then
    if [ "$(readlink "/proc/$(cat "$pid_file")/exe")" = "$occ" ] && answers "$OCC_URL/readyz"; then
      say "occ is already running"
      return
    fi
    # Another build than the one installed now. The Agents do not notice: their processes are not its children.
    end serve occ
  fi
  free_port "$OCC_PORT" OCC_PORT
  detach serve "$logs/serve.log" "$occ" serve
  until_up "occ" "$OCC_URL/readyz" serve
  say "occ answers at $OCC_URL"
}

# supervisors: process ids of this installation's supervisors. Their command line names the data directory.
supervisors() {
  local file words
  for file in /proc/[0-9]*/cmdline; do
    mapfile -d '' -t words 2>/dev/null <"$file" || continue
    [ "${words[*]:1:4}" != "runtime agent --data $OCC_DATA_DIR" ] || basename "$(dirname "$file")"
  done
}

# Ends the Agents' processes but not what is wanted of the Agents, so the next start brings them back.
supervisors_stop() {
  local pids start=$EPOCHSECONDS
  mapfile -t pids < <(supervisors)
  [ ${#pids[@]} -gt 0 ] || return 0
  say "stopping ${#pids[@]} Agent(s)"
  kill -TERM "${pids[@]}" 2>/dev/null || true
  while [ -n "$(supervisors)" ]; do
    [ $((EPOCHSECONDS - start)) -lt 90 ] || die "the Agents' supervisors ($(supervisors | tr '\n' ' ')) did not stop" "look at their logs in $OCC_DATA_DIR/agents, then end them by hand"
    sleep 0.2
  done
}

# First who would start the Agents again, then the Agents, then what they all use.
stack_stop() {
  end serve occ
  supervisors_stop
  end testmodel occ-testmodel 10
  [ ! -x "$occ" ] || "$occ" db stop >/dev/null || die "the database did not stop" "see $OCC_DATA_DIR/postgres/postgres.log"
}
