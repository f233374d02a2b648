//! Schedules by chance: weighted so that most of what people do gets somewhere before something goes wrong.

use proptest::prelude::*;
use proptest::sample::select;

use super::schedule::{Ask, Mishap, Person, Rule, Schedule, Step, Trouble, Twice, Which};

/// Most steps of a schedule.
const MOST: usize = 18;

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        8 => Just(Ask::Deploy),
        2 => Just(Ask::Rollback),
        2 => Just(Ask::Stop),
        2 => Just(Ask::Start),
        2 => Just(Ask::Restart),
        1 => Just(Ask::Delete),
        1 => Just(Ask::Cancel),
        1 => Just(Ask::Edit),
        1 => Just(Ask::Rotate),
    ]
}

fn twice() -> impl Strategy<Value = Twice> {
    prop_oneof![6 => Just(Twice::No), 1 => Just(Twice::Later), 1 => Just(Twice::Together)]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![4 => Just(Which::First), 1 => Just(Which::Second)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (select(Person::ALL), ask(), which(), twice()).prop_map(|(who, ask, which, twice)| Step::Ask(who, ask, which, twice)),
        9 => (1_u8..24).prop_map(Step::Run),
        3 => Just(Step::Settle),
        4 => Just(Step::Kill),
        2 => Just(Step::Pause),
        2 => Just(Step::Wake),
        1 => select(&[-40_i8, -1, 1, 16, 120][..]).prop_map(Step::Jump),
        4 => select(Trouble::ALL).prop_map(Step::Trouble),
        1 => select(Mishap::ALL).prop_map(Step::Mishap),
        2 => select(Rule::ALL).prop_map(Step::Policy),
    ]
}

/// Any schedule.
pub fn schedule() -> impl Strategy<Value = Schedule> {
    let steps = prop::collection::vec(step(), 3..MOST);
    (any::<bool>(), steps).prop_map(|(dedicated, steps)| Schedule { dedicated, steps })
}
