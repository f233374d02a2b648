//! Lines that an Agent's processes wrote: foreign content, labelled as such, always text.

use leptos::html;
use leptos::prelude::*;
use time::OffsetDateTime;

use super::Tone;
use crate::words;

/// How much a line matters, as its writer said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Detail.
    Debug,
    /// Normal.
    #[default]
    Info,
    /// Unusual.
    Warn,
    /// Failed.
    Error,
}

impl Level {
    fn word(self) -> (&'static str, Tone) {
        match self {
            Self::Debug => ("debug", Tone::Idle),
            Self::Info => ("info", Tone::Idle),
            Self::Warn => ("warn", Tone::Warn),
            Self::Error => ("error", Tone::Bad),
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// A number that identifies the line.
    pub seq: u64,
    /// When it was written.
    pub at: OffsetDateTime,
    /// How much it matters.
    pub level: Level,
    /// What it says.
    pub text: String,
}

/// The pane. Follows its end while it is scrolled there.
#[component]
pub fn LogPane(
    /// The lines, oldest first.
    #[prop(into)]
    lines: Signal<Vec<LogLine>>,
    /// Whose lines they are: "Gateway of paper-reader".
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let at_end = StoredValue::new(true);
    Effect::new(move |_| {
        lines.track();
        let Some(pane) = node.get() else { return };
        if at_end.get_value() {
            request_animation_frame(move || pane.set_scroll_top(pane.scroll_height()));
        }
    });
    let on_scroll = move |_| {
        if let Some(pane) = node.get_untracked() {
            at_end.set_value(pane.scroll_top() + pane.client_height() >= pane.scroll_height() - 8);
        }
    };
    view! {
        <div
            class="log"
            node_ref=node
            role="log"
            aria-live="off"
            tabindex="0"
            aria-label=move || format!("{}, written by its own processes", label.get())
            on:scroll=on_scroll
        >
            <For each=move || lines.get() key=|line| (line.seq, line.at, line.text.clone()) let:line>
                {
                    let (word, tone) = line.level.word();
                    view! {
                        <div class=format!("line {}", tone.class())>
                            <time datetime=words::rfc3339(line.at) title=words::exact(line.at)>
                                {words::clock_time(line.at)}
                            </time>
                            <span class="lvl">{word}</span>
                            <span class="msg">{line.text}</span>
                        </div>
                    }
                }
            </For>
        </div>
    }
}
