#!/usr/bin/env bash
# `make up`: from a fresh clone to a running installation with two Agents that have answered. Safe to run again: it does
# only what is missing. DEMO=0 leaves the installation empty.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stack.sh"

port=${OCC_PORT:-7171}
[[ $port =~ ^[0-9]{1,5}$ ]] && ((port > 0 && port < 65536)) || die "OCC_PORT is $port, which is no port" "choose a number from 1024 to 65535"
mkdir -p "$logs"
exec 8>"$OCC_DATA_DIR/up.lock"
flock --nonblock 8 || die "another make up (or down) is at work in $OCC_DATA_DIR" "wait for it"

scripts/setup.sh
runtimes_begin 8>&-
stack_build
stack_install
[ "${DEMO:-}" = 0 ] || testmodel_start 8>&-
"$occ" init 8>&-
serve_start 8>&-
[ "${DEMO:-}" = 0 ] || scripts/demo.sh

echo
echo "${bold}OCC is running.${plain}"
echo "  console       $OCC_URL/console/"
echo "  sign in with  $("$occ" signin-link)   (works once)"
echo "  command line  $occ"
echo "                (eval \"\$(make -s env)\" puts it on the PATH of your shell)"
echo "  data          $OCC_DATA_DIR"
echo "  stop with     make down"
