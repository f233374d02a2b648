//! The program itself, run as people run it: commands, files, exit codes, and a real PostgreSQL.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod config;
mod contexts;
mod doctor;
mod full_disk;
mod keyring;
mod lost;
mod pages;
mod service;
mod telemetry;
mod tls;
mod troubles;
mod world;
