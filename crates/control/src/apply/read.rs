//! Reading the documents of an `apply`, each strictly and by itself.

use occ_model::agent::CreateAgent;
use occ_model::apply::{Apply, DocumentKind};
use occ_model::configuration::CreateConfiguration;
use occ_model::namespace::CreateNamespace;
use occ_model::problem::{Code, Problem};
use occ_model::secret::CreateSecret;
use occ_model::strict;
use serde_json::Value;

/// A document that was read, or why it could not be.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) index: usize,
    pub(super) kind: Option<DocumentKind>,
    pub(super) name: Option<String>,
    pub(super) read: Result<Read, Problem>,
}

/// What a document asks for.
#[derive(Debug)]
pub(super) enum Read {
    Namespace(CreateNamespace),
    Secret(CreateSecret),
    Configuration(CreateConfiguration),
    Agent(CreateAgent),
}

/// Reads all. A Namespace document must be the path's (`namespace`); a kind and name stand once.
pub(super) fn all(documents: Apply, namespace: Option<&str>) -> Vec<Document> {
    let mut seen = std::collections::BTreeSet::new();
    documents
        .0
        .into_iter()
        .enumerate()
        .map(|(index, value)| {
            let kind = value.get("kind").and_then(Value::as_str).and_then(|kind| kind.parse().ok());
            let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
            let read = match (kind, &name) {
                (Some(kind), Some(name)) if !seen.insert((kind, name.clone())) => {
                    Err(refused("/name", "DUPLICATE", "Another document of this list has this kind and name."))
                }
                (Some(DocumentKind::Namespace), Some(name)) if Some(name.as_str()) != namespace => {
                    Err(refused("/name", "OTHER_NAMESPACE", "Only the Namespace of the path is applied here."))
                }
                (Some(kind), _) => one(kind, value),
                (None, _) => {
                    Err(refused("/kind", "INVALID", "A document's kind is Namespace, Secret, Configuration or Agent."))
                }
            };
            Document { index, kind, name, read }
        })
        .collect()
}

fn one(kind: DocumentKind, mut value: Value) -> Result<Read, Problem> {
    if let Value::Object(fields) = &mut value {
        fields.remove("kind");
        // The one kind of Configuration that there is; `kind` is taken by the document's own.
        if kind == DocumentKind::Configuration {
            fields.insert("kind".to_owned(), Value::from("agent"));
        }
    }
    Ok(match kind {
        DocumentKind::Namespace => Read::Namespace(strict::from_value(value)?),
        DocumentKind::Secret => Read::Secret(strict::from_value(value)?),
        DocumentKind::Configuration => Read::Configuration(strict::from_value(value)?),
        DocumentKind::Agent => Read::Agent(strict::from_value(value)?),
    })
}

fn refused(pointer: &str, code: &str, message: &str) -> Problem {
    Problem::new(Code::InvalidFields, "Correct the fields that are named and send the request again.")
        .at(pointer, code, message)
}
