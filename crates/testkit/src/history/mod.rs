//! Generated histories: schedules of what people, workers, machine and clock do, run against the real worker on a real database and the
//! scripted target, with the checker at every quiet moment. See `docs/faults.md`.

pub mod ask;
pub mod generate;
mod knock;
pub mod many;
pub mod run;
pub mod schedule;
pub mod stage;
pub mod tenancy;

pub use run::run;
pub use schedule::Schedule;
pub use stage::Stage;
pub use tenancy::Tenancy;
