//! What an Agent's processes wrote: foreign content, read when asked for, since each look is audited.

use leptos::prelude::*;
use occ_model::chat::LogLine as Line;
use occ_model::operation::{Action, Kind as ResourceKind};
use time::OffsetDateTime;

use super::frame::{Here, here};
use crate::api;
use crate::load::{read, shown};
use crate::parts::{Button, Card, Empty, Icon, Level, LogLine, LogPane};

const LINES: usize = 500;

/// The tab.
#[component]
pub fn AgentLogs() -> impl IntoView {
    here().map(|here| view! { <Logs here /> })
}

#[component]
fn Logs(here: Here) -> impl IntoView {
    let source = RwSignal::new(String::new());
    let lines = read(
        move || (here.namespace.get(), here.name.get()),
        |(namespace, name)| api::logs::tail(namespace, name, LINES),
    );
    let missing = here.may.missing(Action::ReadLogs, ResourceKind::Agent);
    let again = move || {
        view! {
            <Button small=true icon=Icon::Refresh blocked=missing on_press=move |()| lines.refetch()>
                "Read again"
            </Button>
        }
    };
    let label = Signal::derive(move || format!("Logs of {}", here.name.get()));
    view! {
        <Card title="Logs" note="written by the Agent's own processes; redacted; each look is audited" actions=again flush=true>
            {shown(
                lines,
                move |all| {
                    let kept = Signal::derive(move || {
                        let only = source.get();
                        let all = all.get().into_iter().enumerate();
                        all.filter(|(_, line)| only.is_empty() || line.source == only).map(numbered).collect::<Vec<_>>()
                    });
                    view! {
                        <Sources all source />
                        <Show
                            when=move || !kept.with(Vec::is_empty)
                            fallback=|| {
                                view! {
                                    <Empty
                                        icon=Icon::List
                                        title="Nothing written"
                                        text="Lines appear here once the Agent's processes have been started."
                                    />
                                }
                            }
                        >
                            <LogPane lines=kept label />
                        </Show>
                    }
                },
            )}
        </Card>
    }
}

/// One chip a component that wrote something.
#[component]
fn Sources(all: Signal<Vec<Line>>, source: RwSignal<String>) -> impl IntoView {
    let names = Memo::new(move |_| {
        let mut names: Vec<_> = all.with(|all| all.iter().map(|line| line.source.clone()).collect());
        names.sort();
        names.dedup();
        names
    });
    let chip = move |value: String, words: String| {
        let chosen = value.clone();
        view! {
            <button
                type="button"
                class="chip"
                aria-pressed=move || (source.get() == chosen).to_string()
                on:click=move |_| source.set(value.clone())
            >
                {words}
            </button>
        }
    };
    view! {
        <div class="bar">
            {chip(String::new(), "All".to_owned())}
            {move || names.get().into_iter().map(|name| chip(name.clone(), name)).collect_view()}
        </div>
    }
}

fn numbered((seq, line): (usize, Line)) -> LogLine {
    let level = match line.level.as_str() {
        "debug" => Level::Debug,
        "warn" => Level::Warn,
        "error" => Level::Error,
        _ => Level::Info,
    };
    LogLine {
        seq: seq as u64,
        at: line.at.map_or(OffsetDateTime::UNIX_EPOCH, occ_model::time::Timestamp::to_offset),
        level,
        text: format!("{}: {}", line.source, line.text),
    }
}
