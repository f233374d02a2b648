//! What is shipped with the program fits it: the list of metrics, the dashboard, the alert rules and their runbooks.
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;

use occ_model::metric::METRICS;
use serde_json::Value;

use crate::test_kept::assert_kept_text;

fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../docs/observability/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Words that look like names of metrics.
fn metrics_in(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("occ_")).collect()
}

fn assert_known(text: &str) {
    for word in metrics_in(text) {
        let bare = ["_bucket", "_sum", "_count"].iter().find_map(|tail| word.strip_suffix(tail)).unwrap_or(word);
        assert!(METRICS.iter().any(|metric| metric.name == bare), "{word} is in no table");
    }
}

#[test]
fn the_list_of_metrics_is_kept() {
    let mut text = String::from(
        "# Metrics\n\nMade from `occ_model::metric`.\n\n| Name | Kind | Labels | What it says |\n| --- | --- | --- | --- |\n",
    );
    for metric in METRICS {
        let labels = metric.labels.join(", ");
        writeln!(text, "| `{}` | {} | {labels} | {} |", metric.name, metric.kind.as_str(), metric.says).unwrap();
    }
    assert_kept_text("docs/observability/metrics.md", &text);
}

#[test]
fn the_dashboard_asks_only_for_what_is_measured_and_for_everything() {
    let text = shipped("dashboard.json");
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let asked: Vec<_> = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()).collect();
    let asked: Vec<_> = asked.iter().map(|target| target["expr"].as_str().unwrap()).collect();
    for expression in &asked {
        assert_known(expression);
    }
    for metric in METRICS {
        assert!(asked.iter().any(|expression| expression.contains(metric.name)), "{} is shown nowhere", metric.name);
    }
}

#[test]
fn every_alert_asks_for_what_is_measured_and_has_its_runbook() {
    let (rules, runbooks) = (shipped("alerts.yml"), shipped("README.md"));
    let rules: Value = serde_yaml_ng::from_str(&rules).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        let name = rule["alert"].as_str().unwrap();
        assert_known(rule["expr"].as_str().unwrap());
        assert!(runbooks.contains(&format!("\n### {name}\n")), "{name} has no runbook");
        assert_eq!(rule["annotations"]["runbook"], format!("README.md#{}", name.to_lowercase()));
    }
}
