//! Which places each operation comes to, and how often. Rows of the matrix are made from it; a place without a row fails a test, and so
//! does an operation that comes elsewhere than it says.

use occ_control::faults::Place::{self, *};
use occ_testkit::faults::victim::Side;

/// What is done to one Agent (or Namespace).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A first deployment.
    First,
    /// A second one.
    Replace,
    Rollback,
    Restart,
    Stop,
    Start,
    Delete,
    /// What died is restored.
    Restore,
    /// A door that is shut and should be open.
    Reopen,
    /// Another health is seen.
    Health,
    /// The candidate does not start: the predecessor comes back.
    TurnBack,
    /// The predecessor does not come back at once either.
    TurnBackHard,
    /// A first candidate does not start: there is nothing to come back to.
    NoWayBack,
    /// The candidate is not accepted.
    Reject,
    /// Whoever deployed may not any more.
    Deny,
    /// Whoever stopped may not any more.
    TakeBack,
    /// A stop is asked for in the middle of the switch.
    StopInSwitch,
    /// A stop that a deployment outlived.
    StopUndone,
    /// Not ready yet.
    Defer,
    /// A fault of the driver.
    Retry,
    /// Workers die of it.
    GiveUp,
    /// Live steps while a driver works.
    Watch,
    /// Released secret versions.
    Withdraw,
    EnsureNamespace,
    DeleteNamespace,
}

use Operation as O;

/// The places, each with how often it is come to. `Claim` counts items taken; looking for them does not.
pub const TABLE: &[(Operation, &[(Place, u32)])] = &[
    (O::First, &[(Claim, 1), (Begun, 1), (Prepare, 1), (Ready, 1), (T1, 1), (Activate, 1), (T2, 1), (OpenRoute, 1)]),
    (
        O::Replace,
        &[
            (Claim, 2),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 1),
            (T2, 1),
            (OpenRoute, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (
        O::Rollback,
        &[
            (Claim, 2),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 1),
            (T2, 1),
            (OpenRoute, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (
        O::Restart,
        &[
            (Claim, 1),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (DenyFirst, 1),
            (EndFirst, 1),
            (Activate, 1),
            (T2, 1),
            (OpenRoute, 1),
        ],
    ),
    (O::Stop, &[(Claim, 1), (Deny, 1), (Stop, 1), (Stopped, 1)]),
    (O::Start, &[(Claim, 1), (Begun, 1), (Prepare, 1), (Ready, 1), (T1, 1), (Activate, 1), (T2, 1), (OpenRoute, 1)]),
    (O::Delete, &[(Claim, 1), (Delete, 1), (Deleted, 1)]),
    (
        O::Restore,
        &[
            (Look, 1),
            (Health, 1),
            (Found, 1),
            (Claim, 1),
            (Observe, 2),
            (Recovering, 1),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 1),
            (T2, 1),
            (OpenRoute, 1),
        ],
    ),
    (O::Reopen, &[(Look, 1), (Found, 1), (Claim, 1), (Observe, 1), (Reopened, 1), (OpenRoute, 1)]),
    (O::Health, &[(NothingDue, 1), (Look, 1), (Health, 1)]),
    (
        O::TurnBack,
        &[
            (Claim, 2),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 2),
            (TurnedBack, 1),
            (Settled, 1),
            (OpenRoute, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (
        O::TurnBackHard,
        &[
            (Claim, 2),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 3),
            (TurnedBack, 1),
            (PrepareAgain, 1),
            (Settled, 1),
            (OpenRoute, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (
        O::NoWayBack,
        &[
            (Claim, 2),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 1),
            (TurnedBack, 1),
            (EndCandidate, 1),
            (Settled, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (O::Reject, &[(Claim, 2), (Begun, 1), (Prepare, 1), (Unswitched, 1), (Retire, 1), (Retired, 1)]),
    (O::Deny, &[(Claim, 1), (Denial, 1), (Unswitched, 1)]),
    (O::TakeBack, &[(Claim, 1), (Denial, 1), (TakenBack, 1), (OpenRoute, 1)]),
    (O::StopInSwitch, &[(Claim, 3), (LeftToStop, 1), (Deny, 1), (Stop, 1), (Stopped, 1), (Retire, 1), (Retired, 1)]),
    (
        O::StopUndone,
        &[
            (Claim, 3),
            (NothingDone, 1),
            (Begun, 1),
            (Prepare, 1),
            (Ready, 1),
            (T1, 1),
            (Activate, 1),
            (T2, 1),
            (OpenRoute, 1),
            (Retire, 1),
            (Retired, 1),
        ],
    ),
    (O::Defer, &[(Claim, 1), (Begun, 1), (Prepare, 1), (Deferred, 1)]),
    (O::Retry, &[(Claim, 1), (Begun, 1), (Prepare, 1), (Retried, 1)]),
    (O::GiveUp, &[(Claim, 1), (GivenUp, 1)]),
    (O::Watch, &[(Steps, 1)]),
    (O::Withdraw, &[(Claim, 1), (Withdrawn, 1)]),
    (O::EnsureNamespace, &[(Claim, 1), (EnsureNamespace, 1), (Provisioned, 1)]),
    (O::DeleteNamespace, &[(Claim, 1), (DeleteNamespace, 1), (Buried, 1)]),
];

/// One row: where the worker dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub place: Place,
    pub side: Side,
    pub time: u32,
}

impl Operation {
    pub fn places(self) -> &'static [(Place, u32)] {
        TABLE.iter().find(|(operation, _)| *operation == self).unwrap().1
    }

    /// Every point of every place, and for a call also the one in between: sent, and not answered.
    pub fn rows(self) -> Vec<Row> {
        let sides = |place: Place| match place {
            place if place >= Prepare => &[Side::Before, Side::UnderWay, Side::After][..],
            _ => &[Side::Before, Side::After],
        };
        let times = |(place, times): &(Place, u32)| (1..=*times).map(move |time| (*place, time)).collect::<Vec<_>>();
        let rows = |(place, time): (Place, u32)| sides(place).iter().map(move |side| Row { place, side: *side, time });
        self.places().iter().flat_map(times).flat_map(rows).collect()
    }
}

#[test]
fn every_fault_point_has_a_row() {
    let covered: Vec<_> = TABLE.iter().flat_map(|(_, places)| *places).map(|(place, _)| *place).collect();
    let missing: Vec<_> = Place::ALL.iter().filter(|place| !covered.contains(place)).collect();
    assert!(missing.is_empty(), "no operation of the matrix comes to {missing:?}");
}
