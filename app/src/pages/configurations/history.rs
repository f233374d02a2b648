//! The kept generations of a Configuration, and what differs between any two.

use leptos::prelude::*;
use occ_model::configuration::ConfigurationGeneration;

use crate::api;
use crate::load::{read, shown};
use crate::pages::params::{namespace_param, param, query};
use crate::parts::{Ago, Card, Column, DiffView, LinkButton, PageHead, Table};
use crate::paths;
use crate::show::diff_lines;

/// The page; `?from=` and `?to=` choose the two generations.
#[component]
pub fn ConfigurationHistory() -> impl IntoView {
    let (namespace, name) = (namespace_param(), param("configuration"));
    let (from, to) = (query("from"), query("to"));
    let generations = read(
        move || (namespace.get(), name.get()),
        |(namespace, name)| api::configuration::generations(namespace, name),
    );
    let diff = read(
        move || (namespace.get(), name.get(), from.get().parse().ok(), to.get().parse().ok()),
        |(namespace, name, from, to)| api::configuration::diff(namespace, name, from, to),
    );
    let note = Signal::derive(move || {
        Some(match (from.get().as_str(), to.get().as_str()) {
            ("", "") => "the newest against the one before".to_owned(),
            (from, to) => format!("generation {from} against {to}"),
        })
    });
    let base = Signal::derive(move || paths::configuration(&namespace.get(), &name.get()));
    view! {
        <PageHead
            title=Signal::derive(move || format!("History of {}", name.get()))
            actions=move || view! { <LinkButton href=base>"Edit"</LinkButton> }
        />
        <div class="stack">
            <Card title="What changed" note flush=true>
                {shown(
                    diff,
                    |entries| {
                        view! {
                            <Show
                                when=move || !entries.with(Vec::is_empty)
                                fallback=|| view! { <p class="muted p-4">"They do not differ."</p> }
                            >
                                <DiffView
                                    label="What changed"
                                    lines=Signal::derive(move || entries.with(|entries| diff_lines(entries)))
                                />
                            </Show>
                        }
                    },
                )}
            </Card>
            <Card title="Generations" note="the last 50 are kept" flush=true>
                {shown(
                    generations,
                    move |page| {
                        view! {
                            <Table
                                label="Generations"
                                columns=vec![
                                    Column::new("Generation"),
                                    Column::new("Saved by"),
                                    Column::new("Compare"),
                                    Column::right("Saved"),
                                ]
                            >
                                {move || page.get().items.into_iter().map(|item| row(&base.get(), item)).collect_view()}
                            </Table>
                        }
                    },
                )}
            </Card>
        </div>
    }
}

fn row(base: &str, generation: ConfigurationGeneration) -> impl IntoView + use<> {
    let number = generation.generation;
    let before = format!("{base}/generations?from={}&to={number}", number - 1);
    view! {
        <tr>
            <td class="name">{number}</td>
            <td>{generation.created_by}</td>
            <td>
                {(number > 1)
                    .then(|| {
                        view! {
                            <a class="link" href=before>
                                "with the one before"
                            </a>
                        }
                    })}
            </td>
            <td class="right muted">
                <Ago at=generation.created_at.to_offset() />
            </td>
        </tr>
    }
}
