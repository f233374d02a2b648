# Which Rust test belongs to which layer, as nextest expressions. A crate is in exactly one layer, save for tests that need
# the pinned runtimes: those of occ-driver-local, and where their name, or a module they are in, starts with `real_` or is (or starts with) `conformance`.
# shellcheck shell=bash disable=SC2034
needs_runtimes='test(/(^|::)(real_|conformance)/) or package(occ-driver-local)'
needs_database='package(occ-postgres) or package(occ-store) or package(occ-work) or package(occ-control) or package(occ-testkit) or package(server)'
# What runs the local driver on the real runtimes: the whole driver suite, the walls' proof, deploy, replacement, survival. Minutes each
# on two cores, so they are a layer of their own.
local_suite='package(occ-driver-local) and kind(test)'
