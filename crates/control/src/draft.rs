//! Editing by JSON Merge Patch (RFC 7396): the patch is merged into the draft as one document, which is then read strictly.

use occ_model::problem::{Code, FieldError, Problem};
use occ_model::strict::{self, escape};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result};

/// Fields of every view that nobody edits.
const READ_ONLY: &[&str] = &["id", "name", "namespace", "generation", "createdAt", "updatedAt"];

/// `current` with `patch` merged in. Fields that the draft does not have are refused by pointer, also when the patch removes them;
/// `read_only` names those that the view shows and the draft lacks, beside [`READ_ONLY`].
pub fn merge<T: Serialize + DeserializeOwned>(current: &T, patch: &Value, read_only: &[&str]) -> Result<T> {
    let mut document = serde_json::to_value(current).map_err(|e| Error::fault("writing the draft", e))?;
    let Value::Object(fields) = patch else {
        return Err(Problem::new(Code::MalformedRequest, "A merge patch is a JSON object.").into());
    };
    let errors: Vec<_> = fields
        .keys()
        .filter(|key| document.get(key.as_str()).is_none())
        .map(|key| {
            let pointer = format!("/{}", escape(key));
            if READ_ONLY.contains(&key.as_str()) || read_only.contains(&key.as_str()) {
                FieldError::new(pointer, "READ_ONLY", "This field cannot be changed.")
            } else {
                FieldError::new(pointer, "UNKNOWN_FIELD", "This field is not known here.")
            }
        })
        .collect();
    if !errors.is_empty() {
        return Err(invalid(errors));
    }
    json_patch::merge(&mut document, patch);
    Ok(strict::from_value(document)?)
}

/// `INVALID_FIELDS` with its places.
pub fn invalid(errors: impl IntoIterator<Item = FieldError>) -> Error {
    Problem::new(Code::InvalidFields, "Correct the fields that are named and send the request again.")
        .with_errors(errors)
        .into()
}

/// `INVALID_FIELDS` at one place.
pub fn invalid_at(pointer: &str, code: &str, message: &str) -> Error {
    invalid([FieldError::new(pointer, code, message)])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use occ_model::namespace::{NamespaceDraft, Quotas};
    use serde_json::json;

    fn draft() -> NamespaceDraft {
        NamespaceDraft {
            display_name: Some("A".parse().unwrap()),
            description: None,
            labels: serde_json::from_value(json!({"team": "a", "tier": "1"})).unwrap(),
            quotas: Quotas::default(),
        }
    }

    fn refused(patch: &Value) -> (String, String) {
        let problem = merge(&draft(), patch, &["status"]).unwrap_err().problem();
        (problem.errors[0].pointer.clone(), problem.errors[0].code.clone())
    }

    #[test]
    fn null_removes_and_the_rest_stays() {
        let new =
            merge(&draft(), &json!({"displayName": null, "labels": {"team": null}, "quotas": {"agents": 3}}), &[])
                .unwrap();
        assert_eq!(new.display_name, None);
        assert_eq!(serde_json::to_value(&new.labels).unwrap(), json!({"tier": "1"}));
        assert_eq!(new.quotas.agents, Some(3));
    }

    #[test]
    fn what_is_not_edited_is_refused_by_pointer() {
        assert_eq!(refused(&json!({"name": "b"})), ("/name".into(), "READ_ONLY".into()));
        assert_eq!(refused(&json!({"status": null})), ("/status".into(), "READ_ONLY".into()));
        assert_eq!(refused(&json!({"nmae": null})), ("/nmae".into(), "UNKNOWN_FIELD".into()));
        assert_eq!(refused(&json!({"quotas": {"agnets": 1}})), ("/quotas/agnets".into(), "UNKNOWN_FIELD".into()));
        assert_eq!(refused(&json!({"quotas": {"agents": "3"}})), ("/quotas/agents".into(), "INVALID".into()));
        assert!(merge(&draft(), &json!([1]), &[]).is_err());
    }
}
