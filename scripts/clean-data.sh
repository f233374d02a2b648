#!/usr/bin/env bash
# `make clean-data`: stops the installation and forgets it. Asks first where it can; FORCE=1 does not ask.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ -d "$OCC_DATA_DIR" ] || { say "there is no installation in $OCC_DATA_DIR"; exit 0; }
# A variable set wrongly must not cost somebody's home.
[ -e "$OCC_DATA_DIR/up.lock" ] || die "$OCC_DATA_DIR was not made by make up" "check OCC_DATA_DIR, or remove it yourself"
if [ "${FORCE:-}" != 1 ]; then
  [ -t 0 ] || die "this removes every Agent, Secret and conversation in $OCC_DATA_DIR" "say so: make clean-data FORCE=1"
  read -r -p "Remove every Agent, Secret and conversation in $OCC_DATA_DIR? [y/N] " answer
  [ "$answer" = y ] || exit 1
fi
scripts/down.sh
forget "$OCC_DATA_DIR"
say "removed $OCC_DATA_DIR"
