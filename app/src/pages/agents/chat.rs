//! Talking to an Agent through its own gateway. Nothing is stored here: what was said is read live from the gateway, and only
//! one's own.

use leptos::ev::{self, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::chat::{ChatEvent, ChatRole, ChatTurn, MOST_BYTES};
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::problem::Code;
use wasm_bindgen::prelude::*;

use super::frame::{Here, here};
use crate::act::fresh_key;
use crate::api;
use crate::api::chat::Message;
use crate::fault::Fault;
use crate::load::{read, shown};
use crate::local::Local;
use crate::pages::params::{filled, query};
use crate::parts::{
    Button, Card, ChatLine, ChatThread, Empty, Form, Icon, LinkButton, Note, Speaker, Submit, TextArea, Tone,
};
use crate::paths;
use crate::stream::{self, Turn};

/// The tab; `?conversation=` chooses one of one's own conversations.
#[component]
pub fn AgentChat() -> impl IntoView {
    here().map(|here| {
        // What was opened stays: what is typed there is not lost with the Agent's revision.
        let opened = Memo::new(move |before: Option<&bool>| {
            before == Some(&true) || here.agent.with(|agent| agent.active_revision.is_some())
        });
        view! {
            <Show when=move || opened.get() fallback=asleep>
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
    let name = query("conversation");
    let history = read(
        move || (here.namespace.get(), here.name.get(), filled(&name.get())),
        |(namespace, agent, conversation)| async move {
            let said = api::chat::history(namespace, agent, conversation.clone()).await?;
            Ok((conversation, said))
        },
    );
    let main = Signal::derive(move || paths::agent_tab(&here.namespace.get(), &here.name.get(), "chat"));
    let navigate = use_navigate();
    let new = Callback::new(move |()| {
        if let Some(key) = fresh_key() {
            let key = key.to_string();
            let short: String = key.chars().take(12).collect();
            let to = format!("{}?conversation=c-{short}", main.get_untracked());
            navigate(&to, leptos_router::NavigateOptions::default());
        }
    });
    let actions = move || {
        view! {
            <Show when=move || !name.with(String::is_empty)>
                <LinkButton small=true href=main>
                    "Main conversation"
                </LinkButton>
            </Show>
            <Button small=true icon=Icon::Plus on_press=new>
                "New conversation"
            </Button>
        }
    };
    view! {
        <Card title="Chat" note="what the Agent says is its own content" actions>
            {shown(
                history,
                move |past| {
                    let of = Memo::new(move |_| past.with(|(conversation, _)| conversation.clone()));
                    move || {
                        let conversation = of.get();
                        let said = past.with_untracked(|(_, said)| said.clone());
                        // One view a conversation: it is made anew for another one, and for nothing else.
                        view! { <Conversation here said conversation=StoredValue::new(conversation) /> }
                    }
                },
            )}
        </Card>
    }
}

#[component]
fn Conversation(here: Here, said: Vec<Message>, conversation: StoredValue<Option<String>>) -> impl IntoView {
    let lines = RwSignal::new(said.into_iter().enumerate().map(line).collect::<Vec<_>>());
    let text = RwSignal::new(String::new());
    let trouble = RwSignal::new(None::<Trouble>);
    let turn = Local::<Turn>::default();
    let talking = RwSignal::new(false);
    let thread = NodeRef::<html::Div>::new();
    let end = follow_end(thread);
    let close = move || {
        close(lines);
        read_as_markdown(here, lines);
    };
    let stop = move || {
        drop(turn.clear());
        talking.set(false);
        close();
    };
    let send = move |()| {
        let Some(words) = filled(&text.get_untracked()).filter(|_| !talking.get_untracked()) else { return };
        if words.len() > MOST_BYTES {
            return trouble.set(Some(Trouble::too_long(words.len())));
        }
        trouble.set(None);
        add(lines, Speaker::Me, words.clone(), false);
        add(lines, Speaker::Agent, String::new(), true);
        text.set(String::new());
        talking.set(true);
        end.set_value(true);
        let path = format!("namespaces/{}/agents/{}/chat", here.namespace.get_untracked(), here.name.get_untracked());
        let request = ChatTurn { conversation: conversation.get_value(), text: words.clone() };
        let ended = move |end: Result<(), Fault>| {
            // A turn that was stopped or left ends silently.
            if talking.try_get_untracked() != Some(true) {
                return;
            }
            talking.set(false);
            close();
            let Err(fault) = end else { return };
            trouble.set(Some(Trouble::of(&fault)));
            // What was not taken was not said: it goes back to where it was typed, and can be sent again.
            if fault.problem().is_some() && text.with_untracked(String::is_empty) {
                lines.update(|lines| {
                    if lines.last().is_some_and(|line| line.by == Speaker::Me && line.text == words) {
                        lines.pop();
                    }
                });
                text.set(words);
            }
        };
        let started = stream::send(&path, &request, move |event| take(lines, trouble, event), ended);
        if let Some(started) = started {
            turn.set(started);
        } else {
            talking.set(false);
            close();
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
        <div node_ref=thread>
            <Show
                when=move || !lines.with(Vec::is_empty)
                fallback=|| view! { <p class="muted">"Nothing was said yet. Ask it something."</p> }
            >
                <ChatThread
                    lines
                    agent=Signal::derive(move || here.agent.with(|agent| agent.meta.title().to_owned()))
                />
            </Show>
        </div>
        <div class="speak">
            {move || trouble.get().map(|trouble| view! { <Note tone=Tone::Bad what=trouble.what next=trouble.next /> })}
            <Form label="Message" on_submit=send>
                <div on:keydown=on_key>
                    <TextArea
                        id="message"
                        label="Message"
                        rows=2
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
        </div>
    }
}

/// Keeps the page at its end while the reader is there: at first, and whenever what is said grows. Who has scrolled up is left alone.
/// The answer says, and can be told, whether the reader is at the end.
fn follow_end(thread: NodeRef<html::Div>) -> StoredValue<bool> {
    let at_end = StoredValue::new(true);
    let held = Local::<(Observer, Closure<dyn FnMut()>)>::default();
    Effect::new(move |_| {
        let scrolled = window_event_listener(ev::scroll, move |_| {
            let _ = at_end.try_update_value(|at_end| *at_end = is_at_end());
        });
        on_cleanup(move || scrolled.remove());
    });
    Effect::new(move |_| {
        let Some(thread) = thread.get() else { return };
        let grown = Closure::<dyn FnMut()>::new(move || {
            if at_end.try_get_value() == Some(true) {
                to_end();
            }
        });
        held.set((on_resize(&thread, &grown), grown));
        on_cleanup(move || {
            if let Some((observer, _)) = held.clear() {
                observer.disconnect();
            }
        });
    });
    at_end
}

#[wasm_bindgen(inline_js = r#"
export function occOnResize(element, then) {
  const observer = new ResizeObserver(() => then());
  observer.observe(element);
  return observer;
}
"#)]
extern "C" {
    /// Tells whenever the element has another size, and its first one.
    #[wasm_bindgen(js_name = occOnResize)]
    fn on_resize(element: &web_sys::HtmlElement, then: &Closure<dyn FnMut()>) -> Observer;

    type Observer;
    #[wasm_bindgen(method)]
    fn disconnect(this: &Observer);
}

/// So near the end counts as there, in pixels.
const NEAR: f64 = 48.0;

fn is_at_end() -> bool {
    let Some(page) = document().document_element() else { return true };
    let seen = window().scroll_y().unwrap_or(0.0) + f64::from(page.client_height());
    seen >= f64::from(page.scroll_height()) - NEAR
}

fn to_end() {
    if let Some(page) = document().document_element() {
        window().scroll_to_with_x_and_y(0.0, f64::from(page.scroll_height()));
    }
}

/// Has the server read what the Agent has said, and shows it so. Where that fails it stays as it was said.
fn read_as_markdown(here: Here, lines: RwSignal<Vec<ChatLine>>) {
    let (namespace, agent) = (here.namespace.get_untracked(), here.name.get_untracked());
    let plain = lines.with_untracked(|lines| {
        let last = lines.iter().rev().take_while(|line| line.by != Speaker::Me);
        let said = last.filter(|line| line.by == Speaker::Agent && line.blocks.is_empty());
        said.map(|line| (line.seq, line.text.clone())).collect::<Vec<_>>()
    });
    for (seq, text) in plain {
        let (namespace, agent) = (namespace.clone(), agent.clone());
        leptos::task::spawn_local(async move {
            if let Ok(blocks) = api::chat::markdown(namespace, agent, text).await {
                let _ = lines.try_update(|lines| {
                    if let Some(line) = lines.iter_mut().find(|line| line.seq == seq) {
                        line.blocks = blocks;
                    }
                });
            }
        });
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

    fn too_long(bytes: usize) -> Self {
        Self {
            what: "The message is too long.".to_owned(),
            next: format!("It has {bytes} bytes, {MOST_BYTES} fit. Shorten it, then send it; nothing was sent."),
        }
    }

    fn told(code: Code, detail: String) -> Self {
        Self { what: format!("{}.", code.title()), next: detail }
    }
}

fn line((seq, message): (usize, Message)) -> ChatLine {
    let by = match message.role {
        ChatRole::User => Speaker::Me,
        ChatRole::Assistant => Speaker::Agent,
        ChatRole::Tool => Speaker::Tool,
    };
    ChatLine { seq: seq as u64, by, text: message.text, blocks: message.blocks, open: false }
}

fn add(lines: RwSignal<Vec<ChatLine>>, by: Speaker, text: String, open: bool) {
    lines.update(|lines| {
        let seq = lines.last().map_or(0, |line| line.seq + 1);
        lines.push(ChatLine { seq, by, text, blocks: Vec::new(), open });
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
