//! Acts: writes that a person starts.
//!
//! Invariants (laws 1, 2, 3): while an act is under way a further press is nothing; each act carries an idempotency key of its
//! own; when its outcome is not known it stays so until the person asks, and asking sends the very same request with the very
//! same key, which is the read-back; a refusal keeps every input; an answer that comes after the page is gone is dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use leptos::prelude::*;
use occ_model::name::IdempotencyKey;
use occ_model::problem::Problem;

use crate::fault::Fault;
use crate::parts::{Button, Note, Tone};

/// Where an act is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ready,
    Sending,
    Refused(Box<Problem>),
    Unreached,
    Unknown,
}

/// Sends the request again, with its key.
type Resend = Arc<dyn Fn() + Send + Sync>;

/// One act: a button or a form and what it sends.
#[derive(Clone, Copy)]
pub struct Act {
    state: RwSignal<State>,
    again: StoredValue<Option<Resend>>,
}

impl Default for Act {
    fn default() -> Self {
        Self { state: RwSignal::new(State::Ready), again: StoredValue::new(None) }
    }
}

impl Act {
    /// Sends `call` with a fresh key, unless something is under way or unknown; `done` gets the answer.
    pub fn send<T, F>(
        self,
        call: impl Fn(IdempotencyKey) -> F + Send + Sync + 'static,
        done: impl Fn(T) + Send + Sync + 'static,
    ) where
        T: 'static,
        F: Future<Output = Result<T, Fault>> + 'static,
    {
        if self.is_blocked() {
            return;
        }
        let Some(key) = fresh_key() else { return self.state.set(State::Unreached) };
        let (call, done) = (Arc::new(call), Arc::new(done));
        let send: Resend = Arc::new(move || {
            let answer: Pin<Box<dyn Future<Output = Result<T, Fault>>>> = Box::pin(call(key.clone()));
            let done = done.clone();
            leptos::task::spawn_local(async move {
                let answer = answer.await;
                self.settle(answer, &*done);
            });
        });
        self.again.set_value(Some(send.clone()));
        self.state.set(State::Sending);
        send();
    }

    /// Sends the same request with the same key: whatever it did before, it has done it once.
    fn find_out(self) {
        if let Some(send) = self.again.get_value() {
            self.state.set(State::Sending);
            send();
        }
    }

    fn settle<T>(self, answer: Result<T, Fault>, done: &dyn Fn(T)) {
        let next = match answer {
            Ok(value) => {
                if self.state.try_set(State::Ready).is_none() {
                    done(value);
                }
                return;
            }
            Err(fault) if fault.outcome_unknown() => State::Unknown,
            Err(Fault::Problem(problem)) => State::Refused(problem),
            Err(Fault::Lost { .. }) => State::Unreached,
        };
        // `None`: set; the page is still there.
        let _ = self.state.try_set(next);
    }

    fn is_blocked(self) -> bool {
        matches!(self.state.get_untracked(), State::Sending | State::Unknown)
    }

    /// It is under way.
    pub fn busy(self) -> Signal<bool> {
        Signal::derive(move || self.state.get() == State::Sending)
    }

    /// Why it cannot be started now: its last outcome is not known.
    pub fn blocked(self) -> Signal<Option<String>> {
        Signal::derive(move || {
            (self.state.get() == State::Unknown).then(|| "First find out whether it happened.".to_owned())
        })
    }

    /// What the server said about the field at `pointer` (or below it).
    pub fn error_at(self, pointer: &'static str) -> Signal<Option<String>> {
        Signal::derive(move || {
            self.state.with(|state| {
                let State::Refused(problem) = state else { return None };
                let below =
                    |at: &str| at == pointer || at.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'));
                problem.errors.iter().find(|error| below(&error.pointer)).map(|error| error.message.clone())
            })
        })
    }

    /// The refusal, if the last attempt was refused.
    pub fn refusal(self) -> Signal<Option<Problem>> {
        Signal::derive(move || match self.state.get() {
            State::Refused(problem) => Some(*problem),
            _ => None,
        })
    }

    /// Takes the last outcome off the page.
    pub fn forget(self) {
        if !self.is_blocked() {
            self.state.set(State::Ready);
        }
    }
}

/// What came of an act, where it was not simply done: refused, not sent, not known.
#[component]
pub fn Outcome(
    /// The act.
    act: Act,
    /// What a refusal means for what is serving or saved.
    #[prop(default = "Nothing was changed; what you typed stays here.")]
    means: &'static str,
) -> impl IntoView {
    move || {
        match act.state.get() {
        State::Ready | State::Sending => ().into_any(),
        State::Refused(problem) => refused(*problem, means).into_any(),
        State::Unreached => {
            view! { <Note tone=Tone::Bad what="It could not be sent." means next="Check the connection, then try again." /> }
                .into_any()
        }
        State::Unknown => view! {
            <Note
                tone=Tone::Warn
                what="It is not known whether this happened."
                means="The answer got lost on its way."
                next="Find out first; asking does not do it twice."
            >
                <Button small=true on_press=move |()| act.find_out()>
                    "Find out"
                </Button>
            </Note>
        }
        .into_any(),
    }
    }
}

/// A refusal with its places; pointers are shown as they are, messages are the server's own words.
fn refused(problem: Problem, means: &'static str) -> impl IntoView {
    let id = problem.request_id.map(|id| id.to_string());
    let places = problem.errors.into_iter().map(|error| {
        view! {
            <li>
                <code>{error.pointer}</code>
                " "
                {error.message}
            </li>
        }
    });
    let list = view! { <ul>{places.collect_view()}</ul> };
    view! {
        <Note
            tone=Tone::Bad
            what=format!("{}.", problem.title)
            means=means
            next=problem.detail
            request_id=id
            places=list.into_any()
        />
    }
}

/// 128 random bits as 32 hexadecimal digits, from the browser's own generator.
fn fresh_key() -> Option<IdempotencyKey> {
    let mut bytes = [0u8; 16];
    window().crypto().ok()?.get_random_values_with_u8_array(&mut bytes).ok()?;
    format!("{:032x}", u128::from_be_bytes(bytes)).parse().ok()
}
