#!/usr/bin/env bash
# Prints what a shell needs so that `occ` is found and speaks to the server that `make up` started with the same variables.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
printf 'export PATH=%q:"$PATH"\n' "$OCC_BIN"
for name in OCC_DATA_DIR OCC_PORT OCC_DATABASE_URL; do
  [ -z "${!name-}" ] || printf 'export %s=%q\n' "$name" "${!name}"
done
