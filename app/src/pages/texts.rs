//! What people call a resource: its name for people, its description, its labels. The same fields on every kind that has them.

use leptos::prelude::*;
use occ_model::meta::Meta;
use occ_model::name::{Description, DisplayName, Labels};
use serde_json::{Value, json};

use super::params::optional;
use crate::act::Act;
use crate::parts::{Button, Note, TextArea, TextInput, Tone};

/// A field, by its pointer, and the rule that it breaks.
pub type Wrong = (&'static str, String);

/// The fields, as text.
#[derive(Clone, Copy)]
pub struct Texts {
    display: RwSignal<String>,
    description: RwSignal<String>,
    labels: RwSignal<String>,
}

/// What the fields say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    pub labels: Labels,
}

impl Texts {
    /// Empty fields.
    pub fn new() -> Self {
        Self { display: RwSignal::default(), description: RwSignal::default(), labels: RwSignal::default() }
    }

    /// Fields that say what `meta` says.
    pub fn of(meta: &Meta) -> Self {
        let texts = Self::new();
        texts.take(meta);
        texts
    }

    /// Says what `meta` says.
    pub fn take(self, meta: &Meta) {
        let (display, description, labels) = written(meta);
        self.display.set(display);
        self.description.set(description);
        self.labels.set(labels);
    }

    /// Whether the fields say anything else than `meta`. Tracked.
    pub fn differ(self, meta: &Meta) -> bool {
        (self.display.get(), self.description.get(), self.labels.get()) != written(meta)
    }

    /// What the fields say, or the first that breaks its rule.
    pub fn read(self) -> Result<Said, Wrong> {
        Ok(Said {
            display_name: optional(&self.display.get_untracked()).map_err(|e| broken("/displayName", e))?,
            description: optional(&self.description.get_untracked()).map_err(|e| broken("/description", e))?,
            labels: labels(&self.labels.get_untracked())?,
        })
    }
}

impl Said {
    /// As a merge patch of what had the labels `before`.
    pub fn patch(&self, before: &Labels) -> Value {
        let labels = label_patch(before, &self.labels);
        json!({ "displayName": self.display_name, "description": self.description, "labels": labels })
    }
}

/// Labels as a merge patch: those that went are named as gone.
pub fn label_patch(before: &Labels, after: &Labels) -> Value {
    let gone = before.0.keys().map(|key| (key.to_string(), Value::Null));
    let kept = after.0.iter().map(|(key, value)| (key.to_string(), json!(value)));
    Value::Object(gone.chain(kept).collect())
}

/// The rule that the field at `pointer` breaks, as a sentence.
pub fn broken(pointer: &'static str, rule: impl std::fmt::Display) -> Wrong {
    (pointer, format!("It {rule}."))
}

fn written(meta: &Meta) -> (String, String, String) {
    let labels: Vec<_> = meta.labels.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
    (
        meta.display_name.as_ref().map(ToString::to_string).unwrap_or_default(),
        meta.description.as_ref().map(ToString::to_string).unwrap_or_default(),
        labels.join("\n"),
    )
}

fn labels(text: &str) -> Result<Labels, Wrong> {
    let mut labels = Labels::default();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |what: &str| ("/labels", format!("Line {}: {what}.", at + 1));
        let (key, value) = line.split_once('=').ok_or_else(|| wrong("write it as key=value"))?;
        let key = key.trim().parse().map_err(|rule| wrong(&format!("the key {rule}")))?;
        let value = value.trim().parse().map_err(|rule| wrong(&format!("the value {rule}")))?;
        if labels.0.insert(key, value).is_some() {
            return Err(wrong("this key is there twice"));
        }
    }
    Ok(labels)
}

/// What is wrong with a field: its own rule, or what the server said about it.
pub fn field_errors(
    act: Act,
    wrong: RwSignal<Option<Wrong>>,
) -> impl Fn(&'static str) -> Signal<Option<String>> + Copy + Send + Sync + 'static {
    move |pointer| {
        let server = act.error_at(pointer);
        Signal::derive(move || {
            let own = wrong.get().filter(|(field, _)| *field == pointer).map(|(_, text)| text);
            own.or_else(|| server.get())
        })
    }
}

/// The fields.
#[component]
pub fn TextFields<E>(
    /// What they hold.
    texts: Texts,
    /// What is wrong with the field at a pointer.
    error: E,
) -> impl IntoView
where
    E: Fn(&'static str) -> Signal<Option<String>> + 'static,
{
    view! {
        <TextInput
            id="displayName"
            label="Name for people"
            value=texts.display
            hint="Optional."
            error=error("/displayName")
        />
        <TextArea
            id="description"
            label="Description"
            rows=2
            value=texts.description
            hint="Optional."
            error=error("/description")
        />
        <TextArea
            id="labels"
            label="Labels"
            rows=2
            value=texts.labels
            hint="Optional; one a line: key=value."
            error=error("/labels")
        />
    }
}

/// Says that what is edited was changed by somebody else meanwhile, and offers it (law 7).
#[component]
pub fn Newer(
    /// Whether it was.
    newer: Memo<bool>,
    /// What it is: "Namespace".
    what: &'static str,
    /// Takes what is saved into the fields.
    #[prop(into)]
    take: Callback<()>,
) -> impl IntoView {
    view! {
        <Show when=move || newer.get()>
            <Note
                tone=Tone::Warn
                what=format!("Somebody changed this {what} meanwhile.")
                next="Take what is saved, then make your change again."
            >
                <Button small=true on_press=take>
                    "Take what is saved"
                </Button>
            </Note>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn labels_are_lines_and_a_wrong_one_is_named() {
        let read = labels("team = papers\n\nempty=\nurl=https://a/?b=c").unwrap();
        let read: Vec<_> = read.0.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(read, [("empty", ""), ("team", "papers"), ("url", "https://a/?b=c")]);
        for (text, said) in
            [("a=1\nb", "Line 2: write it"), ("ä=1", "Line 1: the key"), ("a=1\na=2", "Line 2: this key")]
        {
            let (field, wrong) = labels(text).unwrap_err();
            assert_eq!(field, "/labels");
            assert!(wrong.starts_with(said), "{wrong}");
        }
    }

    #[test]
    fn a_label_that_went_is_patched_away() {
        let said = Said { display_name: None, description: None, labels: labels("kept=2").unwrap() };
        let patch = said.patch(&labels("kept=1\ngone=1").unwrap());
        assert_eq!(patch["labels"], json!({ "gone": null, "kept": "2" }));
        assert_eq!(patch["displayName"], Value::Null);
    }
}
