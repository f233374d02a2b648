//! The next step for troubles that any command can meet, whatever it was doing.

use std::io::ErrorKind;

const FULL: &str = "free space there (`occ doctor` shows how much there is), then run this again; nothing was lost";

/// What to do about an error whose chain of causes says that a disk is full.
pub fn next_step(error: &anyhow::Error) -> Option<&'static str> {
    error.chain().any(is_full_disk).then_some(FULL)
}

fn is_full_disk(cause: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<std::io::Error>() {
        return matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
    }
    let database = cause.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    // 53100: disk_full
    database.is_some_and(|error| error.code().as_deref() == Some("53100"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_found_anywhere_in_the_chain() {
        let full = anyhow::Error::from(std::io::Error::from(ErrorKind::StorageFull)).context("writing a key");
        assert!(next_step(&full.context("starting")).is_some());
        assert!(next_step(&anyhow::anyhow!("something else")).is_none());
    }
}
