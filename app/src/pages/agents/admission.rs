//! The admission report: every check that a deployment of this draft would meet, and whether it passes. Asking writes nothing.

use leptos::prelude::*;
use occ_model::deployment::{AdmissionReport, DeployOutcome};

use super::frame::Here;
use crate::act::{Act, Outcome};
use crate::api;
use crate::parts::{Button, Column, Dialog, DiffView, Pill, Table, Tone};
use crate::show::diff_lines;

#[component]
pub(super) fn Admission(here: Here) -> impl IntoView {
    let open = RwSignal::new(false);
    let report = RwSignal::new(None::<AdmissionReport>);
    let act = Act::default();
    let ask = move |()| {
        report.set(None);
        open.set(true);
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        act.send(
            move |_| api::agent::admission(namespace.clone(), name.clone()),
            move |outcome| {
                if let DeployOutcome::Report(found) = outcome {
                    report.set(Some(found));
                }
            },
        );
    };
    view! {
        <Button busy=act.busy() on_press=ask>
            "Admission report"
        </Button>
        <Dialog id="admission" open title="What a deployment would meet">
            <Outcome act means="Asking changes nothing." />
            {move || report.get().map(shown)}
        </Dialog>
    }
}

fn shown(report: AdmissionReport) -> impl IntoView {
    let rows = report.checks.into_iter().map(|check| {
        let (tone, word) = if check.passed { (Tone::Ok, "Passes") } else { (Tone::Bad, "Fails") };
        view! {
            <tr>
                <td>
                    <span class="name">{words(&check.check)}</span>
                    <small>{check.subject}</small>
                </td>
                <td>
                    <Pill tone text=word />
                    {check.error.map(|error| view! { <small>{error.message}</small> })}
                </td>
            </tr>
        }
    });
    let diff = diff_lines(&report.diff);
    view! {
        <Table label="Checks" columns=vec![Column::new("Check"), Column::new("Result")]>
            {rows.collect_view()}
        </Table>
        {(!diff.is_empty()).then(|| view! { <DiffView label="Against what serves now" lines=Signal::stored(diff) /> })}
    }
}

/// `harness_selection` as `Harness selection`.
fn words(check: &str) -> String {
    let text = check.replace('_', " ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
