#!/usr/bin/env bash
# `make down`: stops everything of this installation. Nothing is lost; `make up` brings the same Agents back.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stack.sh"

if [ ! -d "$OCC_DATA_DIR" ]; then
  say "there is no installation in $OCC_DATA_DIR"
  exit 0
fi
exec 8>"$OCC_DATA_DIR/up.lock"
flock 8
runtimes_stop
stack_stop 8>&-
say "stopped"
