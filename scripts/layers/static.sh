#!/usr/bin/env bash
# Layer "static": what can be said without running the program.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

scripts_parse() {
  local file
  for file in scripts/*.sh scripts/layers/*.sh runtimes/*.sh .ci/run; do bash -n "$file" || return 1; done
}

# A machine's own path in a committed file works on that machine only.
no_machine_paths() { ! git grep --line-number --extended-regexp '(^|[^[:alnum:]_.])/(root|work)/[a-z.]' -- . ':!scripts/layers/static.sh' ':!*.lock'; }

# Every view, by the settings of leptosfmt.toml. After `leptosfmt app/src/**/*.rs` comes `cargo fmt`, until both are content.
views_formatted() { git ls-files 'app/src/*.rs' | xargs leptosfmt --check --quiet; }

check "formatting" cargo fmt --all --check
check "formatting of views" views_formatted
check "scripts parse" scripts_parse
check "no machine paths" no_machine_paths
check "dependencies" cargo deny --locked check bans licenses sources
check "wasm tree" cargo xtask wasm-tree
check "no fault points" cargo xtask fault-points
check "clippy" cargo clippy --workspace --exclude frontend --all-targets --locked -- -D warnings
check "clippy frontend" cargo clippy -p frontend --locked --target wasm32-unknown-unknown --target-dir "$CARGO_TARGET_DIR/front" -- -D warnings
check "style sheet" node_modules/.bin/tailwindcss -i style/tailwind.css -o "$OCC_TEST_DIR/console.css"
