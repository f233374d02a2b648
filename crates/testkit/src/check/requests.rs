//! I17 and I18: people are told what happened, and what they ask twice happens once.

use std::collections::HashMap;

use uuid::Uuid;

use super::journal::Row;
use super::trace::{Answer, Asked, Trace};
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    let mut done: HashMap<Uuid, usize> = HashMap::new();
    let mut made = Vec::new();
    for entry in &trace.entries {
        match &entry.row {
            Row::Audit(audit) if audit.outcome == "success" && !entry.by_worker() => {
                *done.entry(audit.request_id.unwrap_or_default()).or_default() += 1;
            }
            Row::Deployment(row) if entry.made => made.push(row.id),
            _ => {}
        }
    }
    let mut keys: HashMap<(&str, &str), Vec<&Asked>> = HashMap::new();
    for asked in &trace.asked {
        let happened = done.get(&asked.request).copied().unwrap_or_default();
        match &asked.answer {
            Answer::Refused(code) if happened > 0 => {
                violated(found, "I17", format!("{} was refused ({code}), and it happened", asked.what));
            }
            Answer::Done(Some(deployment)) if !made.contains(deployment) => {
                violated(found, "I17", format!("{} was accepted as {deployment}, which is not there", asked.what));
            }
            _ => {}
        }
        if let Some(key) = &asked.key {
            keys.entry((asked.what.as_str(), key)).or_default().push(asked);
        }
    }
    for ((what, key), same) in keys {
        let happened: usize = same.iter().map(|asked| done.get(&asked.request).copied().unwrap_or_default()).sum();
        if happened > 1 {
            violated(found, "I18", format!("{what} with the key {key} happened {happened} times"));
        }
        let mut answers: Vec<_> = same
            .iter()
            .filter_map(|asked| match asked.answer {
                Answer::Done(made) => made,
                _ => None,
            })
            .collect();
        answers.dedup();
        if answers.len() > 1 {
            violated(found, "I18", format!("{what} with the key {key} was answered with {answers:?}"));
        }
    }
}
