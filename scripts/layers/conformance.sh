#!/usr/bin/env bash
# Layer "conformance": the driver suite on the fake, and the native documents against the real runtimes. The local driver on the real
# runtimes is in the layer "local".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

real_runtimes
test_database
rust "($needs_runtimes) and not ($local_suite)"
