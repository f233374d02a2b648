//! The report as text.

use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table, presets};

use crate::figure::{Figure, Goal, Report};

/// Machine, table, profiles.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for (name, value) in &report.machine {
        let _ = writeln!(text, "{name}: {value}");
    }
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled).set_header([
        "benchmark",
        "figure",
        "OCC",
        "reference",
        "ratio",
        "goal",
        "met",
    ]);
    for figure in &report.figures {
        table.add_row(row(figure));
    }
    let _ = writeln!(text, "\n{table}");
    for (title, profile) in &report.profiles {
        let _ = writeln!(text, "\n{title}:\n{profile}");
    }
    for (name, error) in &report.broken {
        let _ = writeln!(text, "\n{name} could not be measured: {error}");
    }
    text
}

fn row(figure: &Figure) -> [String; 7] {
    let with_unit = |value: f64| format!("{} {}", number(value), figure.unit);
    let goal = |goal: Goal| match goal {
        Goal::AtLeast(bound) => format!("≥ {}", with_unit(bound)),
        Goal::AtMost(bound) => format!("≤ {}", with_unit(bound)),
        Goal::RatioAtLeast(bound) => format!("≥ {bound} ×"),
        Goal::RatioAtMost(bound) => format!("≤ {bound} ×"),
    };
    [
        figure.bench.to_owned(),
        figure.what.clone(),
        with_unit(figure.ours),
        figure.reference.as_ref().map(|(name, value)| format!("{name}: {}", with_unit(*value))).unwrap_or_default(),
        figure.ratio().map(|ratio| format!("{} ×", number(ratio))).unwrap_or_default(),
        figure.goal.map(goal).unwrap_or_default(),
        figure.met().map(|met| if met { "yes" } else { "no" }).unwrap_or_default().to_owned(),
    ]
}

/// Lines of a profile.
pub fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "  {line}");
        text
    })
}

/// With as many digits as say something.
pub fn number(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
