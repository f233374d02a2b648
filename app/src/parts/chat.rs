//! A conversation with an Agent. What it says is foreign content and stays text: no markup, no links made of it.

use leptos::prelude::*;

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person at this page.
    Me,
    /// The Agent.
    Agent,
    /// The Agent used one of its tools.
    Tool,
}

/// One line of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// A number that identifies the line.
    pub seq: u64,
    /// Who speaks.
    pub by: Speaker,
    /// What is said so far.
    pub text: String,
    /// Still being said.
    pub open: bool,
}

/// The conversation, oldest first; new lines are announced when they are complete.
#[component]
pub fn ChatThread(
    /// Its lines.
    #[prop(into)]
    lines: Signal<Vec<ChatLine>>,
    /// The Agent's name.
    #[prop(into)]
    agent: Signal<String>,
) -> impl IntoView {
    view! {
        <div class="chat" role="log" aria-label=move || format!("Conversation with {}", agent.get())>
            <For
                each=move || lines.get()
                key=|line| (line.seq, line.text.len(), line.open)
                children=move |line| bubble(line, agent)
            />
        </div>
    }
}

fn bubble(line: ChatLine, agent: Signal<String>) -> AnyView {
    let caret = line.open.then(|| view! { <span class="caret" aria-hidden="true"></span> });
    match line.by {
        Speaker::Me => view! {
            <div class="me">
                <span class="sr-only">"You: "</span>
                {line.text}
            </div>
        }
        .into_any(),
        Speaker::Agent => view! {
            <div class="it" aria-busy=line.open.then_some("true")>
                <span class="by">{move || agent.get()}</span>
                "\n"
                {line.text}
                {caret}
            </div>
        }
        .into_any(),
        Speaker::Tool => view! {
            <div class="tool">
                <super::Glyph icon=super::Icon::Tool />
                <span>{line.text}</span>
                {caret}
            </div>
        }
        .into_any(),
    }
}
