//! `occ`: the OpenClaw Control Plane in one binary.

mod authn;
mod http;
mod rest;

fn main() {}
