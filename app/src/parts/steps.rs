//! A deployment's steps, drawn to time: one row a step, bars on a common axis, the running one striped.
//!
//! The same drawing serves the live view and the past ones. Bars are SVG in per cent of the axis (the policy drops style
//! attributes); narrow screens show the durations alone.

use leptos::prelude::*;
use time::OffsetDateTime;

use super::{Glyph, Icon, Tone};
use crate::clock::use_now;
use crate::words;

/// Where a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// Through.
    Done,
    /// Under way.
    Running,
    /// It failed here.
    Failed,
    /// Still to come.
    Waiting,
    /// Never reached.
    Skipped,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, in our words.
    pub name: String,
    /// Where it is.
    pub state: StepState,
    /// When it began.
    pub started: Option<OffsetDateTime>,
    /// When it ended.
    pub ended: Option<OffsetDateTime>,
    /// A remark for its time, when it has none: "usually 0.4 s".
    pub remark: Option<String>,
}

/// The drawing.
#[component]
pub fn StepsChart(
    /// The steps, in order.
    #[prop(into)]
    steps: Signal<Vec<Step>>,
) -> impl IntoView {
    let now = use_now();
    let drawn = move || {
        let steps = steps.get();
        // Only something under way needs the clock.
        let running = steps.iter().any(|step| step.state == StepState::Running);
        let until = if running { now.get() } else { OffsetDateTime::UNIX_EPOCH };
        let axis = Axis::of(&steps, until);
        let rows = steps.iter().map(|step| row(step, &axis, until)).collect_view();
        view! {
            {rows}
            <li class="axis" aria-hidden="true">
                <span></span>
                <span></span>
                <svg class="lane">{axis.labels()}</svg>
                <span></span>
            </li>
        }
    };
    view! { <ol class="steps">{drawn}</ol> }
}

fn row(step: &Step, axis: &Axis, until: OffsetDateTime) -> impl IntoView + use<> {
    let (class, tone, icon, word) = match step.state {
        StepState::Done => ("done", Tone::Ok, Some(Icon::Check), "done"),
        StepState::Running => ("running", Tone::Info, None, "running"),
        StepState::Failed => ("failed", Tone::Bad, Some(Icon::Close), "failed"),
        StepState::Waiting => ("todo", Tone::Idle, None, "to come"),
        StepState::Skipped => ("skipped", Tone::Idle, None, "not reached"),
    };
    let end = step.ended.unwrap_or(until);
    let took = step.started.map(|start| words::duration(words::millis_between(start, end)));
    let mark = match (icon, step.state) {
        (Some(icon), _) => view! { <Glyph icon /> }.into_any(),
        (None, StepState::Running) => view! { <span class="dot"></span> }.into_any(),
        _ => ().into_any(),
    };
    let bar = step.started.map(|start| {
        let (x, width) = axis.place(start, end);
        let right = format!("{:.2}%", x + width);
        let (x, width) = (format!("{x:.2}%"), format!("{width:.2}%"));
        if step.state == StepState::Running {
            view! {
                <rect class="base" x=x.clone() y="10" width=width height="8" rx="4"></rect>
                <line class="stripe" x1=x x2=right y1="14" y2="14"></line>
            }
            .into_any()
        } else {
            view! { <rect class="done" x=x y="10" width=width height="8" rx="4"></rect> }.into_any()
        }
    });
    let said =
        took.or_else(|| step.remark.clone()).or_else(|| (step.state == StepState::Skipped).then(|| word.to_owned()));
    view! {
        <li class=format!("{class} {}", tone.class())>
            <span class="mark">{mark}</span>
            <span class="what">{step.name.clone()} <span class="sr-only">{format!(", {word}")}</span></span>
            <svg class="lane" aria-hidden="true">
                {axis.lines()}
                {bar}
            </svg>
            <span class="took">{said}</span>
        </li>
    }
}

/// The common time axis: where it begins, and how long it is in milliseconds, in round ticks.
struct Axis {
    from: OffsetDateTime,
    tick: u64,
    ticks: u32,
}

impl Axis {
    fn of(steps: &[Step], until: OffsetDateTime) -> Self {
        let from = steps.iter().filter_map(|step| step.started).min().unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let end = steps.iter().filter(|step| step.started.is_some()).map(|step| step.ended.unwrap_or(until)).max();
        let length = end.map_or(0, |end| words::millis_between(from, end)).max(1);
        let tick = round_tick(length);
        let ticks = u32::try_from(length.div_ceil(tick)).unwrap_or(u32::MAX).max(1);
        Self { from, tick, ticks }
    }

    /// Left edge and width in per cent; a bar is at least visible.
    fn place(&self, start: OffsetDateTime, end: OffsetDateTime) -> (f64, f64) {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a deployment are far below 2^52")]
        let share = |millis: u64| millis as f64 * 100.0 / (self.tick as f64 * f64::from(self.ticks));
        let left = share(words::millis_between(self.from, start)).min(99.4);
        let width = share(words::millis_between(start, end)).max(0.6).min(100.0 - left);
        (left, width)
    }

    fn lines(&self) -> impl IntoView + use<> {
        let ticks = self.ticks;
        (0..=ticks)
            .map(|n| {
                let x = format!("{:.2}%", f64::from(n) * 100.0 / f64::from(ticks));
                view! { <line class="grid" x1=x.clone() x2=x y1="0" y2="28"></line> }
            })
            .collect_view()
    }

    fn labels(&self) -> impl IntoView + use<> {
        let (tick, ticks) = (self.tick, self.ticks);
        (1..=ticks)
            .map(|n| {
                let x = format!("{:.2}%", f64::from(n) * 100.0 / f64::from(ticks));
                let label = axis_label(tick * u64::from(n));
                view! {
                    <text x=x y="14">
                        {label}
                    </text>
                }
            })
            .collect_view()
    }
}

/// The tick that divides `length` into four to eight parts, of the sizes people count time in.
fn round_tick(length: u64) -> u64 {
    const ROUND: [u64; 19] = [
        1, 5, 10, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
        1_800_000, 3_600_000,
    ];
    ROUND.into_iter().find(|tick| length.div_ceil(*tick) <= 7).unwrap_or_else(|| length.div_ceil(6))
}

fn axis_label(millis: u64) -> String {
    if millis.is_multiple_of(1000) && millis < 60_000 {
        format!("{} s", millis / 1000)
    } else {
        words::duration(millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn ticks_are_round_and_few() {
        for (length, tick) in [(1, 1), (41_000, 10_000), (31_200, 5_000), (240_000, 60_000)] {
            assert_eq!(round_tick(length), tick, "{length}");
        }
    }

    #[test]
    fn bars_share_one_axis_and_stay_inside() {
        let step = |from: i64, to: i64| Step {
            name: String::new(),
            state: StepState::Done,
            started: Some(datetime!(2026-11-30 12:00 UTC) + time::Duration::milliseconds(from)),
            ended: Some(datetime!(2026-11-30 12:00 UTC) + time::Duration::milliseconds(to)),
            remark: None,
        };
        let steps = [step(0, 20), step(20, 10_000), step(10_000, 40_000)];
        let axis = Axis::of(&steps, OffsetDateTime::UNIX_EPOCH);
        assert_eq!((axis.tick, axis.ticks), (10_000, 4));
        let places: Vec<_> = steps.iter().filter_map(|s| Some(axis.place(s.started?, s.ended?))).collect();
        assert_eq!(places[2], (25.0, 75.0));
        assert!(places.iter().all(|(x, width)| *width >= 0.6 && x + width <= 100.0));
    }
}
