//! A tiny trend: a line of the last values, for lists.

use std::fmt::Write;

use leptos::prelude::*;

const WIDTH: f64 = 92.0;
const HEIGHT: f64 = 22.0;
const PAD: f64 = 2.0;

/// The line; `label` says in words what it shows (it is the picture's name).
#[component]
pub fn Spark(
    /// The values, oldest first, evenly spaced.
    #[prop(into)]
    values: Signal<Vec<f64>>,
    /// What it shows, in words.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    view! {
        <svg class="spark" viewBox="0 0 92 22" role="img" aria-label=move || label.get()>
            <polyline points=move || points(&values.get())></polyline>
        </svg>
    }
}

/// The line's points: the first value at the left edge, the largest at the top, equal values in the middle.
fn points(values: &[f64]) -> String {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    let span = high - low;
    #[expect(clippy::cast_precision_loss, reason = "a trend has a few dozen values")]
    let step = (WIDTH - 2.0 * PAD) / (values.len().saturating_sub(1).max(1)) as f64;
    let mut text = String::new();
    let mut x = PAD;
    for value in values {
        let share = if span > 0.0 { (value - low) / span } else { 0.5 };
        let y = HEIGHT - PAD - share * (HEIGHT - 2.0 * PAD);
        let _ = write!(text, "{x:.1},{y:.1} ");
        x += step;
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_spans_the_box() {
        assert_eq!(points(&[0.0, 10.0]), "2.0,20.0 90.0,2.0");
        assert_eq!(points(&[5.0, 5.0, 5.0]), "2.0,11.0 46.0,11.0 90.0,11.0");
        assert_eq!(points(&[]), "");
    }
}
