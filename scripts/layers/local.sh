#!/usr/bin/env bash
# Layer "local": the local driver with the real OpenClaw and Codex: driver suite, walls, deploy, replacement, survival.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

real_runtimes
rust "$local_suite"
