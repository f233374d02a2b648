//! What an Agent's processes wrote: foreign content, read or followed when asked for, since each look is audited.

use leptos::prelude::*;
use occ_model::chat::LogLine as Line;
use occ_model::operation::{Action, Kind as ResourceKind};
use time::OffsetDateTime;

use super::frame::{Here, here};
use crate::api;
use crate::load::{read, shown};
use crate::local::Local;
use crate::parts::{Button, Card, Empty, Icon, Level, LogLine, LogPane, Note, Tone};
use crate::tail::{self, Tail, Told};

const LINES: usize = 500;
/// What is followed shows at most so many; older ones go.
const MOST: usize = 2000;

/// The tab.
#[component]
pub fn AgentLogs() -> impl IntoView {
    here().map(|here| view! { <Logs here /> })
}

/// How the stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stream {
    #[default]
    Off,
    On,
    Ended,
}

/// What is followed.
#[derive(Clone, Copy)]
struct Following {
    /// Numbered, so that a line stays the same line when older ones go. `None`: what was read is shown.
    lines: RwSignal<Option<Vec<(u64, Line)>>>,
    stream: RwSignal<Stream>,
    tail: Local<Tail>,
}

impl Following {
    fn new() -> Self {
        Self { lines: RwSignal::new(None), stream: RwSignal::default(), tail: Local::default() }
    }

    fn is_on(self) -> bool {
        self.stream.get() == Stream::On
    }

    fn start(self, here: Here) {
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        let path = format!("namespaces/{namespace}/agents/{name}/logs");
        if let Some(tail) = tail::open(&path, LINES, move |told| self.take(told)) {
            self.stream.set(Stream::On);
            self.tail.set(tail);
        } else {
            self.stream.set(Stream::Ended);
        }
    }

    /// Ends it; what came stays.
    fn stop(self) {
        drop(self.tail.clear());
        self.stream.set(Stream::Off);
    }

    /// The page may be gone by then.
    fn take(self, told: Told) {
        match told {
            Told::Opened => {
                let _ = self.lines.try_set(Some(Vec::new()));
                let _ = self.stream.try_set(Stream::On);
            }
            Told::Line(line) => {
                let _ = self.lines.try_update(|lines| {
                    let lines = lines.get_or_insert_default();
                    let seq = lines.last().map_or(0, |(seq, _)| seq + 1);
                    lines.push((seq, line));
                    if lines.len() > MOST {
                        lines.drain(..lines.len() - MOST);
                    }
                });
            }
            Told::Ended => {
                let _ = self.stream.try_set(Stream::Ended);
            }
        }
    }
}

#[component]
fn Logs(here: Here) -> impl IntoView {
    let source = RwSignal::new(String::new());
    let lines = read(
        move || (here.namespace.get(), here.name.get()),
        |(namespace, name)| api::logs::tail(namespace, name, LINES),
    );
    let following = Following::new();
    let missing = here.may.missing(Action::ReadLogs, ResourceKind::Agent);
    let actions = move || {
        view! {
            <Show
                when=move || following.is_on()
                fallback=move || {
                    view! {
                        <Button
                            small=true
                            icon=Icon::Refresh
                            blocked=missing
                            on_press=move |()| {
                                following.lines.set(None);
                                lines.refetch();
                            }
                        >
                            "Read again"
                        </Button>
                        <Button small=true icon=Icon::Play blocked=missing on_press=move |()| following.start(here)>
                            "Follow"
                        </Button>
                    }
                }
            >
                <Button small=true icon=Icon::Stop on_press=move |()| following.stop()>
                    "Stop following"
                </Button>
            </Show>
        }
    };
    let label = Signal::derive(move || format!("Logs of {}", here.name.get()));
    view! {
        <Card
            title="Logs"
            note="written by the Agent's own processes; redacted; each look is audited"
            actions
            flush=true
        >
            <Standing stream=following.stream />
            {shown(
                lines,
                move |read| {
                    let all = Memo::new(move |_| {
                        following.lines.get().unwrap_or_else(|| (0..).zip(read.get()).collect::<Vec<_>>())
                    });
                    let kept = Memo::new(move |_| {
                        let only = source.get();
                        let all = all.get().into_iter();
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

/// What the end of the stream means.
#[component]
fn Standing(stream: RwSignal<Stream>) -> impl IntoView {
    view! {
        <Show when=move || stream.get() == Stream::Ended>
            <Note
                tone=Tone::Warn
                what="Nothing follows any more."
                means="The Agent has stopped, the connection was lost, or this tab was hidden."
                next="Follow again when it runs."
            />
        </Show>
    }
}

/// One chip a component that wrote something.
#[component]
fn Sources(all: Memo<Vec<(u64, Line)>>, source: RwSignal<String>) -> impl IntoView {
    let names = Memo::new(move |_| {
        let mut names: Vec<_> = all.with(|all| all.iter().map(|(_, line)| line.source.clone()).collect());
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

fn numbered((seq, line): (u64, Line)) -> LogLine {
    let level = match line.level.as_str() {
        "debug" => Level::Debug,
        "warn" => Level::Warn,
        "error" => Level::Error,
        _ => Level::Info,
    };
    LogLine {
        seq,
        at: line.at.map_or(OffsetDateTime::UNIX_EPOCH, occ_model::time::Timestamp::to_offset),
        level,
        text: format!("{}: {}", line.source, line.text),
    }
}
