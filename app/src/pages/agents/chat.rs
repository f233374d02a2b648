//! Talking to an Agent through its own gateway. Nothing is stored here: what was said is read live from the gateway, and only
//! one's own.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use occ_model::chat::{ChatEvent, ChatMessage, ChatRole, ChatTurn};
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::problem::Code;

use super::frame::{Here, here};
use crate::api;
use crate::fault::Fault;
use crate::load::{read, shown};
use crate::local::Local;
use crate::pages::params::{filled, query};
use crate::parts::{Button, Card, ChatLine, ChatThread, Empty, Form, Icon, Note, Speaker, Submit, TextArea, Tone};
use crate::stream::{self, Turn};

/// The tab; `?conversation=` chooses one of one's own conversations.
#[component]
pub fn AgentChat() -> impl IntoView {
    here().map(|here| {
        let serving = Memo::new(move |_| here.agent.with(|agent| agent.active_revision.is_some()));
        view! {
            <Show when=move || serving.get() fallback=asleep>
                <Chat here />
            </Show>
        }
    })
}

fn asleep() -> impl IntoView {
    view! {
        <section class="card">
            <Empty
                icon=Icon::Chat
                title="Nobody to talk to"
                text="The Agent serves no revision now. Deploy or start it first."
            />
        </section>
    }
}

#[component]
fn Chat(here: Here) -> impl IntoView {
    let conversation = query("conversation");
    let history = read(
        move || (here.namespace.get(), here.name.get(), filled(&conversation.get())),
        |(namespace, name, conversation)| api::chat::history(namespace, name, conversation),
    );
    view! {
        <Card title="Chat" note="what the Agent says is its own content">
            {shown(history, move |past| view! { <Conversation here past conversation /> })}
        </Card>
    }
}

#[component]
fn Conversation(here: Here, past: Signal<Vec<ChatMessage>>, conversation: Memo<String>) -> impl IntoView {
    let lines = RwSignal::new(past.get_untracked().into_iter().enumerate().map(said).collect::<Vec<_>>());
    let text = RwSignal::new(String::new());
    let trouble = RwSignal::new(None::<Trouble>);
    let turn = Local::<Turn>::default();
    let talking = RwSignal::new(false);
    let stop = move || {
        drop(turn.clear());
        talking.set(false);
        close(lines);
    };
    let send = move |()| {
        let Some(words) = filled(&text.get_untracked()).filter(|_| !talking.get_untracked()) else { return };
        trouble.set(None);
        add(lines, Speaker::Me, words.clone(), false);
        add(lines, Speaker::Agent, String::new(), true);
        text.set(String::new());
        talking.set(true);
        let path = format!("namespaces/{}/agents/{}/chat", here.namespace.get_untracked(), here.name.get_untracked());
        let request = ChatTurn { conversation: filled(&conversation.get_untracked()), text: words.clone() };
        let ended = move |end: Result<(), Fault>| {
            // A turn that was stopped or left ends silently.
            if talking.try_get_untracked() != Some(true) {
                return;
            }
            talking.set(false);
            close(lines);
            if let Err(fault) = end {
                trouble.set(Some(Trouble::of(&fault)));
                // What was not taken can be sent again: it goes back to where it was typed.
                if fault.problem().is_some() && text.with_untracked(String::is_empty) {
                    text.set(words);
                }
            }
        };
        let started = stream::send(&path, &request, move |event| take(lines, trouble, event), ended);
        if let Some(started) = started {
            turn.set(started);
        } else {
            talking.set(false);
            close(lines);
            trouble.set(Some(Trouble::of(&Fault::Lost { unsent: true })));
        }
    };
    // Enter sends, Shift Enter makes a line, as people know it from elsewhere.
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            send(());
        }
    };
    let missing = here.may.missing(Action::Use, ResourceKind::Agent);
    let blocked =
        Signal::derive(move || missing.get().or_else(|| talking.get().then(|| "It is still answering.".to_owned())));
    view! {
        <Show
            when=move || !lines.with(Vec::is_empty)
            fallback=|| view! { <p class="muted">"Nothing was said yet. Ask it something."</p> }
        >
            <ChatThread lines agent=Signal::derive(move || here.agent.with(|agent| agent.meta.title().to_owned())) />
        </Show>
        {move || trouble.get().map(|trouble| view! { <Note tone=Tone::Bad what=trouble.what next=trouble.next /> })}
        <Form label="Message" on_submit=send>
            <div on:keydown=on_key>
                <TextArea
                    id="message"
                    label="Message"
                    rows=3
                    value=text
                    hint="Enter sends, Shift Enter makes a new line."
                />
            </div>
            <div class="acts">
                <Transition>
                    <Submit blocked>"Send"</Submit>
                </Transition>
                <Show when=move || talking.get()>
                    <Button icon=Icon::Stop on_press=move |()| stop()>
                        "Stop"
                    </Button>
                </Show>
            </div>
        </Form>
    }
}

/// Why a turn did not end well, in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Trouble {
    what: String,
    next: String,
}

impl Trouble {
    fn of(fault: &Fault) -> Self {
        match fault.problem() {
            Some(problem) => Self { what: format!("{}.", problem.title), next: problem.detail.clone() },
            None => Self {
                what: "The answer was cut off.".to_owned(),
                next: "The Agent may still have worked on it. Load the page again to see what it said.".to_owned(),
            },
        }
    }

    fn told(code: Code, detail: String) -> Self {
        Self { what: format!("{}.", code.title()), next: detail }
    }
}

fn said((seq, message): (usize, ChatMessage)) -> ChatLine {
    let by = match message.role {
        ChatRole::User => Speaker::Me,
        ChatRole::Assistant => Speaker::Agent,
        ChatRole::Tool => Speaker::Tool,
    };
    ChatLine { seq: seq as u64, by, text: message.text, open: false }
}

fn add(lines: RwSignal<Vec<ChatLine>>, by: Speaker, text: String, open: bool) {
    lines.update(|lines| {
        let seq = lines.last().map_or(0, |line| line.seq + 1);
        lines.push(ChatLine { seq, by, text, open });
    });
}

/// Nothing is being said any more; an answer that said nothing goes.
fn close(lines: RwSignal<Vec<ChatLine>>) {
    lines.update(|lines| {
        lines.retain(|line| !(line.open && line.text.is_empty()));
        for line in lines {
            line.open = false;
        }
    });
}

fn take(lines: RwSignal<Vec<ChatLine>>, trouble: RwSignal<Option<Trouble>>, event: ChatEvent) {
    match event {
        ChatEvent::Delta { text } => {
            let _ = lines.try_update(|lines| {
                if let Some(line) = lines.last_mut().filter(|line| line.open) {
                    line.text.push_str(&text);
                }
            });
        }
        ChatEvent::Tool { name } => {
            if lines.is_disposed() {
                return;
            }
            close(lines);
            add(lines, Speaker::Tool, format!("Used its tool {name}"), false);
            add(lines, Speaker::Agent, String::new(), true);
        }
        ChatEvent::Done { .. } => {}
        ChatEvent::Error { code, detail } => {
            let _ = trouble.try_set(Some(Trouble::told(code, detail)));
        }
    }
}
