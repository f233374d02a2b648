//! A schedule as text is the schedule.

use occ_testkit::history::Schedule;
use occ_testkit::history::generate::schedule;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_printed_schedule_is_read_as_what_it_was(made in schedule()) {
        let read: Schedule = made.to_string().parse().map_err(|error| TestCaseError::fail(format!("{error:#}")))?;
        prop_assert_eq!(read, made);
    }
}

#[test]
fn what_is_no_schedule_is_refused_by_its_line() {
    for (text, line) in [
        ("", "empty"),
        ("walled", "walled"),
        ("embedded\nada asks nicely first", "nicely"),
        ("embedded\nrun away", "digit"),
    ] {
        let refused = format!("{:#}", text.parse::<Schedule>().unwrap_err());
        assert!(refused.contains(line), "{refused}");
    }
}
