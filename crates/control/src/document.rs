//! Checking a native document and resolving its bindings, as a Configuration is saved and as the editor asks.

use std::time::Instant;

use occ_model::configuration::{Completion, SecretBinding};
use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::{Action, Kind};
use occ_model::problem::{Code, FieldError, Problem};
use occ_model::strict::{self, depth};
use occ_openclaw::code::MANAGED_KEY;
use occ_openclaw::document;
use occ_openclaw::schema::Schema;
use occ_policy::{Facts, Target};
use occ_store::configuration::Binding;
use occ_store::{Conn, Named, secret::SecretRow};
use serde_json::Value;

use crate::context::Cx;
use crate::error::{Error, Result};

/// A document has at most so many bytes as compact JSON.
pub const MAX_BYTES: usize = 1 << 20;

/// A document is nested at most so deep: a request that carries it one level deeper is read by every way in.
const MAX_DEPTH: usize = strict::MAX_DEPTH - 1;

/// A longer pointer names no place of a document.
const MAX_POINTER: usize = 1024;

/// Asks the runtime's schema. Compiling it takes some 100 ms, so it happens on a thread for such work.
pub async fn with_schema<T: Send + 'static>(cx: &Cx, ask: impl FnOnce(&Schema) -> T + Send + 'static) -> Result<T> {
    let documents = cx.documents.clone();
    tokio::task::spawn_blocking(move || documents.get(Instant::now()).map(|schema| ask(&schema)))
        .await
        .map_err(|e| Error::fault("asking the runtime's schema", e))?
        .map_err(|e| Error::fault("reading the runtime's schema", e))
}

/// What may be written at `pointer`.
pub async fn complete(cx: &Cx, pointer: &str) -> Result<Vec<Completion>> {
    if pointer.len() > MAX_POINTER {
        return Ok(Vec::new());
    }
    let pointer = pointer.to_owned();
    with_schema(cx, move |schema| schema.complete(&pointer)).await
}

/// Every fault of a document and its bindings but those that need the database, at most 32.
pub async fn check(cx: &Cx, values: &Value, bindings: &[SecretBinding]) -> Result<Vec<FieldError>> {
    if !values.is_object() {
        return Ok(vec![FieldError::new("/values", "WRONG_TYPE", "The document is a JSON object.")]);
    }
    if depth(values) > MAX_DEPTH {
        let text = format!("The document is nested deeper than {MAX_DEPTH} levels.");
        return Ok(vec![FieldError::new("/values", "TOO_DEEP", text)]);
    }
    let size = serde_json::to_vec(values).map_err(|e| Error::fault("measuring a document", e))?.len();
    if size > MAX_BYTES {
        return Ok(vec![FieldError::new("/values", "TOO_LARGE", "The document has at most 1 MiB.")]);
    }
    let (values, bindings) = (values.clone(), bindings.to_vec());
    with_schema(cx, move |schema| document::check_with(schema, &values, &bindings)).await
}

/// The refusal for the faults of a document: `MANAGED_KEY` when one of them is, else `INVALID_DOCUMENT`.
pub fn refused(errors: Vec<FieldError>) -> Error {
    let managed = errors.iter().any(|error| error.code == MANAGED_KEY);
    let code = if managed { Code::ManagedKey } else { Code::InvalidDocument };
    Problem::new(code, "Correct the places that are named and save it again.").with_errors(errors).into()
}

/// The bindings by id. A Secret that is missing, of another Namespace, or not usable for the caller is one and the same fault (I6,
/// I11). What the Configuration binds already (`kept`) needs no new decision.
pub async fn resolve(
    on: &mut impl Conn,
    facts: &Facts,
    namespace: NamespaceId,
    bindings: &[SecretBinding],
    kept: &[Binding],
) -> Result<(Vec<Binding>, Vec<FieldError>)> {
    let (mut resolved, mut errors) = (Vec::new(), Vec::new());
    for (index, binding) in bindings.iter().enumerate() {
        let secret = SecretRow::find(on, namespace, &binding.secret).await?.map(|row| row.id);
        let usable = secret.filter(|secret| {
            kept.iter().any(|old| old.secret == *secret && old.pointer == binding.pointer)
                || facts.decide(Action::Use, &Target::resource(Kind::Secret, namespace, *secret)).allowed
        });
        match usable {
            Some(secret) => resolved.push(Binding { pointer: binding.pointer.clone(), secret }),
            None => errors.push(unusable(&format!("/secretBindings/{index}/secret"), Kind::Secret)),
        }
    }
    Ok((resolved, errors))
}

/// A reference that cannot be used: one answer whatever the reason.
pub fn unusable(pointer: &str, kind: Kind) -> FieldError {
    FieldError::new(
        pointer,
        Code::ReferenceUnusable.as_str(),
        format!("There is no such {} in this Namespace that you may use.", crate::place::noun(kind)),
    )
}

/// The refusal for references that cannot be used.
pub fn references_refused(errors: Vec<FieldError>) -> Error {
    Problem::new(Code::ReferenceUnusable, "Correct the references that are named, or ask for the right to use them.")
        .with_errors(errors)
        .into()
}

/// The same ids, each once.
pub fn secrets(bindings: &[Binding]) -> Vec<occ_store::reference::To> {
    use occ_store::reference::{Role, To};
    let mut ids: Vec<_> = bindings.iter().map(|binding| binding.secret).collect();
    ids.sort_unstable_by_key(|id| id.uuid());
    ids.dedup();
    ids.into_iter().map(|id| To::new(Role::Binding, Kind::Secret, id)).collect()
}
