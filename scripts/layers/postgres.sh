#!/usr/bin/env bash
# Layer "postgres": everything that speaks to a database, on a real PostgreSQL that this run starts and ends.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/filters.sh"

test_database
rust "($needs_database) and not ($needs_runtimes)"
