//! Work that nobody does: no controller, or one that hangs.

use super::database::Found;
use super::report::{Report, causes};

/// Looks for it.
pub async fn look(report: &mut Report, found: &Found) {
    let looked = async { occ_work::stuck(&mut found.store.read().await?).await };
    let stuck = match looked.await {
        Ok(stuck) => stuck,
        Err(error) => {
            return report.wrong_at(format!("the queue cannot be read: {}", causes(&error)), "run `occ migrate`");
        }
    };
    if stuck.waiting > 0 {
        report.wrong_at(
            format!(
                "{} work items are due, one of them for {} s, and no controller takes them",
                stuck.waiting, stuck.oldest_seconds
            ),
            "start `occ serve` with the role controller; if it runs, look at its log and at `occ get work`",
        );
    }
    if stuck.abandoned > 0 {
        report.wrong_at(
            format!("{} work items are held by a controller that lost its lease", stuck.abandoned),
            "start `occ serve`, which takes them over; if it runs, its database connection or its clock is in trouble: see its log",
        );
    }
    if stuck.waiting == 0 && stuck.abandoned == 0 {
        report.fine("no work is waiting for a controller");
    }
}
