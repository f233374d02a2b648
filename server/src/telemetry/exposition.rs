//! The Prometheus text format, for figures that are true at the moment of a scrape and forgotten after it.

use std::fmt::Write as _;

use occ_model::metric::Metric;

/// Figures, written as they are put.
#[derive(Default)]
pub struct Exposition {
    text: String,
    last: Option<&'static str>,
}

impl Exposition {
    /// Puts one figure; figures of one metric come one after the other.
    pub fn put(&mut self, metric: &Metric, labels: &[(&'static str, &str)], value: f64) {
        // Writing into a text cannot fail.
        if self.last != Some(metric.name) {
            let _ =
                writeln!(self.text, "# HELP {0} {1}\n# TYPE {0} {2}", metric.name, metric.says, metric.kind.as_str());
            self.last = Some(metric.name);
        }
        self.text.push_str(metric.name);
        for (place, (label, value)) in labels.iter().enumerate() {
            let _ = write!(self.text, "{}{label}=\"{}\"", if place == 0 { '{' } else { ',' }, escaped(value));
        }
        let _ = writeln!(self.text, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    /// Everything that was put.
    pub fn into_text(self) -> String {
        self.text
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use occ_model::metric::{AGENTS, DATABASE_UP};

    use super::*;

    #[test]
    fn figures_are_written_with_their_meaning_once_a_metric() {
        let mut text = Exposition::default();
        text.put(&DATABASE_UP, &[], 1.0);
        text.put(&AGENTS, &[("desired", "running"), ("health", "a\"b\\c\n")], 2.0);
        text.put(&AGENTS, &[("desired", "stopped"), ("health", "x")], 0.5);
        let text = text.into_text();
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("# HELP")).collect();
        assert_eq!(
            lines,
            [
                "# TYPE occ_database_up gauge",
                "occ_database_up 1",
                "# TYPE occ_agents gauge",
                r#"occ_agents{desired="running",health="a\"b\\c\n"} 2"#,
                r#"occ_agents{desired="stopped",health="x"} 0.5"#,
            ]
        );
    }
}
