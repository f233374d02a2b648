//! Agents and their supervisors: each supervisor has its Agent, each Agent that should run its supervisor.

use occ_driver::ComputeDriver;
use occ_store::inspect;

use super::database::Found;
use super::machine;
use super::report::{Report, causes};
use crate::config::Config;
use crate::host;

/// Compares what the database knows with what runs here.
pub async fn look(config: &Config, report: &mut Report, found: &Found) {
    let known = async { inspect::agents(&mut found.store.read().await?).await };
    let known = match known.await {
        Ok(known) => known,
        Err(error) => {
            return report.wrong_at(format!("Agents cannot be read: {}", causes(&error)), "run `occ migrate`");
        }
    };
    match host::is_elsewhere(&found.store, &config.data_dir()).await {
        Ok(false) => {}
        Ok(true) => {
            return report.wrong_at(
                "the Agents of this Installation live in another data directory",
                "point data_dir (OCC_DATA_DIR) at that one, or bring it here; where it is lost, see docs/operations.md, \"One machine\"",
            );
        }
        Err(error) => {
            return report
                .wrong_at(format!("{error:#}"), "correct its permissions, or bring it back from where it was");
        }
    }
    let Ok(driver) = machine::driver(config) else { return };
    let running = match driver.supervisors().await {
        Ok(running) => running,
        Err(error) => {
            let next = "correct the permissions of the data directory";
            return report.wrong_at(format!("supervisors cannot be looked for: {}", causes(&error)), next);
        }
    };
    let mut fine = true;
    for supervisor in &running {
        let (agent, pid) = (supervisor.agent, supervisor.pid);
        match known.iter().find(|known| known.id == agent) {
            None => {
                fine = false;
                report.wrong_at(
                    format!("a supervisor (process {pid}) runs for {agent}, an Agent that this database does not have"),
                    format!("if no other database uses this data directory, end it with `kill {pid}`; its folder stays as it is"),
                );
            }
            Some(known) if !supervisor.answers => {
                fine = false;
                let next = format!("end it with `kill {pid}`: OCC starts another, and nothing is lost");
                report.wrong_at(format!("the supervisor of {} (process {pid}) does not answer", known.name), next);
            }
            Some(_) => {}
        }
    }
    for agent in known.iter().filter(|agent| agent.should_run) {
        if !running.iter().any(|supervisor| supervisor.agent == agent.id) {
            fine = false;
            report.wrong_at(
                format!("{} should run and has no supervisor", agent.name),
                "start `occ serve`, which brings it back; if it runs, see `occ describe agent` and `occ logs`",
            );
        }
    }
    // Without a folder for Agents none was ever there.
    for owned in driver.sweep().await.unwrap_or_default() {
        if !known.iter().any(|known| known.id == owned.agent) {
            fine = false;
            report.note(
                format!("the folder of {} belongs to no Agent of this database", owned.agent),
                "nothing runs in it; move it away if you need the room",
            );
        }
    }
    if fine {
        report.fine(format!("{} supervisors run, each for an Agent that is there", running.len()));
    }
}
