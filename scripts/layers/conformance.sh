#!/usr/bin/env bash
# Layer "conformance": the driver suite on the fake, and deploy, turn, replacement, survival and stop on the local driver with the real
# runtimes. The whole suite on the local driver is in the layer "local".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

real_runtimes
test_database
rust "($needs_runtimes) and not ($local_suite)"
