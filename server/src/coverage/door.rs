//! A door: a request with places left open for what it names, and what whoever may not is told there.

use axum::http::Method;
use occ_model::operation::Operation;
use occ_model::problem::Code;
use serde_json::Value;

use super::world::{Form, Side};

/// What whoever may not is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Being recognised is enough: everybody has their own.
    Own,
    /// Nothing is to be seen there: the answer of what is absent.
    Hidden,
    /// A list that shows what one may read, be that nothing.
    Filtered,
    /// Such a list that is hidden as a whole from whoever may read nothing of it.
    Closed,
}

/// How whoever may is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// It happens.
    Done,
    /// What is there does not allow it.
    Conflict(Code),
}

/// One way to ask for one operation. `{word}` stands for what a [`Side`] has under this word.
#[derive(Clone, Debug)]
pub struct Door {
    /// For messages.
    pub name: String,
    pub operation: &'static Operation,
    pub method: Method,
    /// Path and query.
    pub address: String,
    pub body: Option<Value>,
    pub if_match: Option<i64>,
    pub refusal: Refusal,
    pub control: Control,
    /// What must stand in the answer to whoever may.
    pub shows: Option<&'static str>,
}

/// A request without places left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub address: String,
    pub body: Option<String>,
    /// What was filled in.
    pub typed: Vec<String>,
}

impl Door {
    /// What it leaves open, each once: of the path first.
    pub fn places(&self) -> Vec<String> {
        let mut found = Vec::new();
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        for text in [self.address.as_str(), body.as_str()] {
            for rest in text.split('{').skip(1) {
                let Some((word, _)) = rest.split_once('}') else { continue };
                let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
                if is_word && !found.iter().any(|known| known == word) {
                    found.push(word.to_owned());
                }
            }
        }
        found
    }

    /// By id, and by name where that is another request.
    pub fn forms(&self, side: &Side) -> Vec<Form> {
        let named = self.of(side, Form::Name) != self.of(side, Form::Id);
        if named { vec![Form::Id, Form::Name] } else { vec![Form::Id] }
    }

    /// The request with everything of one side.
    pub fn of(&self, side: &Side, form: Form) -> Asked {
        self.filled(form, |_| side)
    }

    /// The request with each place filled from the side that `from` gives for it.
    pub fn filled<'a>(&self, form: Form, from: impl Fn(&str) -> &'a Side) -> Asked {
        let mut asked =
            Asked { address: self.address.clone(), body: self.body.as_ref().map(Value::to_string), typed: Vec::new() };
        for place in self.places() {
            let value = from(&place).value(&place, form);
            let mark = format!("{{{place}}}");
            asked.address = asked.address.replace(&mark, value);
            asked.body = asked.body.map(|body| body.replace(&mark, value));
            asked.typed.push(value.to_owned());
        }
        asked
    }
}
