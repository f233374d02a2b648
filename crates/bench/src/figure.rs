//! Figures: what was measured of OCC, of its reference, and the goal.

use std::time::Duration;

use serde::Serialize;

/// What is wanted of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "bound")]
pub enum Goal {
    /// Of OCC's own figure.
    AtLeast(f64),
    /// Of OCC's own figure.
    AtMost(f64),
    /// Of OCC's figure divided by its reference's.
    RatioAtLeast(f64),
    /// Of OCC's figure divided by its reference's.
    RatioAtMost(f64),
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// The benchmark.
    pub bench: &'static str,
    /// What was measured.
    pub what: String,
    /// Of what: `1/s`, `ms`, `µs`, `MB`, `kB`, `rows`.
    pub unit: &'static str,
    /// OCC's.
    pub ours: f64,
    /// The reference by name, and what was measured of it in the same run.
    pub reference: Option<(String, f64)>,
    /// What is wanted.
    pub goal: Option<Goal>,
}

impl Figure {
    /// A figure of OCC.
    pub fn new(bench: &'static str, what: impl Into<String>, ours: f64, unit: &'static str) -> Self {
        Self { bench, what: what.into(), unit, ours, reference: None, goal: None }
    }

    /// Beside this reference.
    #[must_use]
    pub fn beside(self, name: impl Into<String>, figure: f64) -> Self {
        Self { reference: Some((name.into(), figure)), ..self }
    }

    /// With this goal.
    #[must_use]
    pub fn goal(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// OCC's figure divided by the reference's.
    pub fn ratio(&self) -> Option<f64> {
        self.reference.as_ref().filter(|(_, figure)| *figure > 0.0).map(|(_, figure)| self.ours / figure)
    }

    /// Whether the goal is met; `None`: there is none, or its reference was not measured.
    pub fn met(&self) -> Option<bool> {
        match self.goal? {
            Goal::AtLeast(bound) => Some(self.ours >= bound),
            Goal::AtMost(bound) => Some(self.ours <= bound),
            Goal::RatioAtLeast(bound) => self.ratio().map(|ratio| ratio >= bound),
            Goal::RatioAtMost(bound) => self.ratio().map(|ratio| ratio <= bound),
        }
    }
}

/// Everything that a run says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Class of the machine, and whether the run was a quick one.
    pub machine: Vec<(String, String)>,
    /// Figures, in order.
    pub figures: Vec<Figure>,
    /// Texts that say why: where time or memory goes.
    pub profiles: Vec<(String, String)>,
    /// Benchmarks that ended early, and why.
    pub broken: Vec<(String, String)>,
}

impl Report {
    /// Nothing yet.
    pub fn new(machine: Vec<(String, String)>) -> Self {
        Self { machine, figures: Vec::new(), profiles: Vec::new(), broken: Vec::new() }
    }

    /// Adds a figure, and shows it at once.
    pub fn add(&mut self, figure: Figure) {
        eprintln!("  {}: {} {}", figure.what, crate::table::number(figure.ours), figure.unit);
        self.figures.push(figure);
    }

    /// Adds a text that says why.
    pub fn profile(&mut self, title: impl Into<String>, text: impl Into<String>) {
        self.profiles.push((title.into(), text.into()));
    }

    /// Says that a benchmark could not be run to its end.
    pub fn broken(&mut self, name: &str, error: &anyhow::Error) {
        eprintln!("  failed: {error:#}");
        self.broken.push((name.to_owned(), format!("{error:#}")));
    }

    /// Whether one could not.
    pub fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }
}

/// Per second.
#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark")]
pub fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_by_the_figure_or_by_the_ratio() {
        let figure = |goal| Figure::new("test", "", 10.0, "1/s").beside("other", 20.0).goal(goal);
        assert_eq!(figure(Goal::AtLeast(10.0)).met(), Some(true));
        assert_eq!(figure(Goal::AtMost(9.0)).met(), Some(false));
        assert_eq!(figure(Goal::RatioAtLeast(0.5)).met(), Some(true));
        assert_eq!(figure(Goal::RatioAtMost(0.4)).met(), Some(false));
        let alone = Figure::new("test", "", 1.0, "ms").goal(Goal::RatioAtMost(1.0));
        assert_eq!(alone.met(), None);
    }
}
