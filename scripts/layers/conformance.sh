#!/usr/bin/env bash
# Layer "conformance": the driver suite on the fake and on the local driver, with the real OpenClaw and Codex.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

real_runtimes
test_database
rust "$needs_runtimes"
