//! The document in an editor, checked as it is written: what would be said at saving, at its places.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use leptos::prelude::*;
use occ_model::configuration::{CheckConfiguration, Completion, SecretBinding};
use occ_model::problem::FieldError;
use serde_json::Value;

use crate::api;
use crate::parts::{Completer, Mark};

/// The editor is still for so long before it is checked.
const STILL: Duration = Duration::from_millis(600);

/// A document's text and what is wrong with it.
#[derive(Clone, Copy)]
pub(super) struct Document {
    pub text: RwSignal<String>,
    /// What the server's check found in the latest checked text.
    found: RwSignal<Vec<FieldError>>,
    /// What is allowed and probably not meant.
    advice: RwSignal<Vec<FieldError>>,
}

impl Document {
    pub fn new(text: String) -> Self {
        Self { text: RwSignal::new(text), found: RwSignal::new(Vec::new()), advice: RwSignal::new(Vec::new()) }
    }

    /// The document, or where it stops being JSON.
    pub fn parse(self) -> Result<Value, String> {
        parse(&self.text.get_untracked())
    }

    /// Checks the text a little after each change. A late answer to an older text is dropped.
    pub fn check_while_typing(self, namespace: Memo<String>, bindings: Signal<Vec<SecretBinding>>) {
        let turn = StoredValue::new(0u64);
        Effect::new(move |_| {
            let text = self.text.get();
            let secret_bindings = bindings.get();
            let mine = turn.get_value() + 1;
            turn.set_value(mine);
            set_timeout(
                move || {
                    let is_latest = move || turn.try_get_value() == Some(mine);
                    let (true, Ok(values)) = (is_latest(), parse(&text)) else { return };
                    let Some(namespace) = namespace.try_get_untracked() else { return };
                    leptos::task::spawn_local(async move {
                        let request = CheckConfiguration { values, secret_bindings };
                        if let Ok(check) = api::configuration::check(namespace, request).await
                            && is_latest()
                        {
                            let _ = self.found.try_set(check.errors);
                            let _ = self.advice.try_set(check.advice);
                        }
                    });
                },
                STILL,
            );
        });
    }

    /// Puts what a refusal said on the page, without waiting for the next check.
    pub fn found(self, errors: Vec<FieldError>) {
        self.found.set(errors);
    }

    /// What is wrong: with the whole text, or at places of the document (pointers as the author sees them).
    pub fn problems(self) -> Signal<Vec<FieldError>> {
        Signal::derive(move || match parse(&self.text.get()) {
            Err(message) => vec![FieldError::new("", "NOT_JSON", message)],
            Ok(_) => self.found.get(),
        })
    }

    /// What is allowed and probably not meant.
    pub fn advice(self) -> Signal<Vec<FieldError>> {
        self.advice.into()
    }

    /// The problems that have a place in the document.
    pub fn marks(self) -> Signal<Vec<Mark>> {
        Signal::derive(move || {
            let inside = self.found.get().into_iter().filter_map(|error| {
                let pointer = error.pointer.strip_prefix("/values")?.to_owned();
                Some(Mark { pointer, message: error.message })
            });
            inside.collect()
        })
    }
}

/// What the runtime's schema offers at a place of the document.
pub(super) fn completer(namespace: Memo<String>) -> Completer {
    Callback::new(move |pointer: String| -> Pin<Box<dyn Future<Output = Vec<Completion>>>> {
        let namespace = namespace.get_untracked();
        Box::pin(async move { api::configuration::complete(namespace, pointer).await.unwrap_or_default() })
    })
}

fn parse(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("It is not JSON, line {}, column {}.", error.line(), error.column()))?;
    if value.is_object() { Ok(value) } else { Err("The document must be an object: { … }.".to_owned()) }
}

/// A document as text, as the editor shows it.
pub(super) fn pretty(values: &Value) -> String {
    let mut text = serde_json::to_string_pretty(values).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_object_says_where() {
        assert_eq!(parse("{\n  \"a\": }").err().as_deref(), Some("It is not JSON, line 2, column 8."));
        assert!(parse("[1]").is_err());
        assert!(parse("{}").is_ok());
    }
}
