//! The models that a document's agents run on, and those that its catalogs offer beside them.

use occ_model::problem::FieldError;
use serde_json::Value;

use crate::code;
use crate::pointer::{join, places};

/// A model and where it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// JSON Pointer of the name.
    pub place: String,
    /// The agent that runs on it, as a pointer to its entry; `None` for the defaults.
    pub entry: Option<String>,
    /// `provider/model`.
    pub name: String,
    /// Before the first slash.
    pub provider: String,
    /// After it.
    pub model: String,
}

impl Candidate {
    fn read(place: &str, entry: Option<&str>, name: &str) -> Option<Self> {
        let (provider, model) = name.split_once('/')?;
        let named = !provider.trim().is_empty() && !model.trim().is_empty();
        named.then(|| Self {
            place: place.to_owned(),
            entry: entry.map(str::to_owned),
            name: name.to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
        })
    }
}

/// Rule 2: primary and fallbacks of the defaults, then of each agent, an agent without a model being one of the defaults'. Never empty.
pub fn of(values: &Value) -> Result<Vec<Candidate>, Vec<FieldError>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let defaults = "/agents/defaults/model";
    for (place, name) in names(values, defaults) {
        push(&mut found, &mut errors, &place, None, name);
    }
    for entry in entries(values) {
        let own = names(values, &format!("{entry}/model"));
        let inherited = own.is_empty();
        for (place, name) in if inherited { names(values, defaults) } else { own } {
            // A bad name of the defaults was reported above.
            if !inherited || name.is_some_and(|name| Candidate::read(&place, None, name).is_some()) {
                push(&mut found, &mut errors, &place, Some(&entry), name);
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if found.is_empty() {
        let text = "Name the model as provider/model; it decides which Harness runs the Agent.";
        return Err(vec![FieldError::new(defaults, code::MODEL_MISSING, text)]);
    }
    Ok(found)
}

fn push(
    found: &mut Vec<Candidate>,
    errors: &mut Vec<FieldError>,
    place: &str,
    entry: Option<&str>,
    name: Option<&str>,
) {
    match name.and_then(|name| Candidate::read(place, entry, name)) {
        Some(candidate) => found.push(candidate),
        None => errors.push(FieldError::new(place, code::MODEL_NAME, "A model is named provider/model.")),
    }
}

/// Models that a person or the model itself could select besides: the catalogs' keys and the lists of allowed models.
pub fn offered(values: &Value) -> Vec<Candidate> {
    let holders = std::iter::once((None, "/agents/defaults".to_owned()))
        .chain(entries(values).into_iter().map(|entry| (Some(entry.clone()), entry)));
    let mut found = Vec::new();
    for (entry, holder) in holders {
        let catalog = values.pointer(&format!("{holder}/models")).and_then(Value::as_object);
        for name in catalog.into_iter().flat_map(|map| map.keys()) {
            let place = join(&format!("{holder}/models"), name);
            found.extend(Candidate::read(&place, entry.as_deref(), name));
        }
        for place in places(values, &format!("{holder}/modelPolicy/allow/*")) {
            let name = values.pointer(&place).and_then(Value::as_str);
            found.extend(name.and_then(|name| Candidate::read(&place, entry.as_deref(), name)));
        }
    }
    found
}

/// The names in a model setting: a text, or an object of a primary and fallbacks.
fn names<'a>(values: &'a Value, place: &str) -> Vec<(String, Option<&'a str>)> {
    match values.pointer(place) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(_)) => ["primary", "fallbacks/*"]
            .into_iter()
            .flat_map(|key| places(values, &format!("{place}/{key}")))
            .map(|place| {
                let name = values.pointer(&place).and_then(Value::as_str);
                (place, name)
            })
            .collect(),
        Some(other) => vec![(place.to_owned(), other.as_str())],
    }
}

/// Pointers to the agents, by name or in a list.
fn entries(values: &Value) -> Vec<String> {
    [places(values, "/agents/entries/*"), places(values, "/agents/list/*")].concat()
}
