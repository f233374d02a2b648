//! From a schema library's error to places and texts of our own.
//!
//! The library's messages print values, and for `anyOf` they name the place of the choice, not of the fault. So the texts are made here
//! from the kind of the error alone, and a choice is explained by the branch that was most likely meant: the one whose type and
//! constants fit, with the fewest faults.

use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use occ_model::problem::FieldError;
use serde_json::Value;

use crate::code;
use crate::pointer::join;

/// A fault, before it becomes text: so that the faults of several branches can be weighed and joined.
#[derive(Clone, Debug, PartialEq)]
struct Fault {
    pointer: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Unknown,
    Missing,
    Type(BTreeSet<&'static str>),
    OneOf(Vec<Value>),
    Other(&'static str, String),
}

/// What one error of the library says, at most a few places.
pub fn explain(error: &ValidationError<'_>) -> Vec<FieldError> {
    faults(error).into_iter().map(Fault::into_error).collect()
}

fn faults(error: &ValidationError<'_>) -> Vec<Fault> {
    let at = error.instance_path().as_str();
    let one = |what: What| vec![Fault { pointer: at.to_owned(), what }];
    let other = |code: &'static str, text: String| one(What::Other(code, text));
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|key| Fault { pointer: join(at, key), what: What::Unknown }).collect()
        }
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            vec![Fault { pointer: join(at, key), what: What::Missing }]
        }
        Kind::Type { kind: TypeKind::Single(kind) } => one(What::Type([name(*kind)].into())),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => one(What::Type(kinds.iter().map(name).collect())),
        Kind::Constant { expected_value } => one(What::OneOf(vec![(**expected_value).clone()])),
        Kind::Enum { options } => one(What::OneOf(options.as_array().cloned().unwrap_or_default())),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => choose(at, context),
        Kind::OneOfMultipleValid { .. } => other(
            code::INVALID,
            "This fits more than one of the forms that the runtime knows here; leave one.".to_owned(),
        ),
        Kind::Pattern { .. } | Kind::Format { .. } => {
            other(code::PATTERN, "This text does not have the form that the runtime requires here.".to_owned())
        }
        Kind::Minimum { limit } => other(code::RANGE, format!("The number must be at least {limit}.")),
        Kind::ExclusiveMinimum { limit } => other(code::RANGE, format!("The number must be greater than {limit}.")),
        Kind::Maximum { limit } => other(code::RANGE, format!("The number must be at most {limit}.")),
        Kind::ExclusiveMaximum { limit } => other(code::RANGE, format!("The number must be less than {limit}.")),
        Kind::MultipleOf { .. } => {
            other(code::RANGE, "The number is not a multiple of what the runtime counts in here.".to_owned())
        }
        Kind::MinLength { limit } if *limit == 1 => other(code::LENGTH, "The text must not be empty.".to_owned()),
        Kind::MinLength { limit } => other(code::LENGTH, format!("The text must have at least {limit} characters.")),
        Kind::MaxLength { limit } => other(code::LENGTH, format!("The text must have at most {limit} characters.")),
        Kind::MinItems { limit } => other(code::LENGTH, format!("The list must have at least {limit} items.")),
        Kind::MaxItems { limit } => other(code::LENGTH, format!("The list must have at most {limit} items.")),
        Kind::AdditionalItems { limit } => other(code::LENGTH, format!("The list must have at most {limit} items.")),
        Kind::UniqueItems => other(code::LENGTH, "The list must not have the same item twice.".to_owned()),
        Kind::MinProperties { limit } => other(code::LENGTH, format!("The object must have at least {limit} keys.")),
        Kind::MaxProperties { limit } => other(code::LENGTH, format!("The object must have at most {limit} keys.")),
        Kind::PropertyNames { .. } => {
            other(code::PATTERN, "A key in here does not have the form that the runtime requires.".to_owned())
        }
        _ => other(code::INVALID, "The runtime does not take this here.".to_owned()),
    }
}

/// Explains a choice at `at`.
fn choose(at: &str, branches: &[Vec<ValidationError<'static>>]) -> Vec<Fault> {
    let mut explained: Vec<Vec<Fault>> =
        branches.iter().map(|errors| errors.iter().flat_map(faults).collect()).collect();
    // A branch that the value itself (not something inside it) does not fit says only what else would have been taken.
    let (misfits, mut meant): (Vec<_>, Vec<_>) =
        explained.drain(..).partition(|faults| faults.iter().any(|f| f.is_misfit(at)));
    meant.sort_by_key(|faults| (faults.iter().filter(|f| f.is_misfit_below(at)).count(), faults.len()));
    if let Some(best) = meant.into_iter().next() {
        return best;
    }
    let here: Vec<Fault> = misfits.into_iter().flatten().filter(|fault| fault.is_misfit(at)).collect();
    let mut values = Vec::new();
    let mut types = BTreeSet::new();
    for fault in here {
        match fault.what {
            What::OneOf(allowed) => values.extend(allowed),
            What::Type(allowed) => types.extend(allowed),
            _ => {}
        }
    }
    let what = if values.is_empty() { What::Type(types) } else { What::OneOf(values) };
    vec![Fault { pointer: at.to_owned(), what }]
}

impl Fault {
    /// The value at `at` is of another kind altogether.
    fn is_misfit(&self, at: &str) -> bool {
        self.pointer == at && matches!(self.what, What::Type(_) | What::OneOf(_))
    }

    /// A constant directly below `at` that differs: the mark by which variants of an object are told apart.
    fn is_misfit_below(&self, at: &str) -> bool {
        let below = self.pointer.strip_prefix(at).is_some_and(|rest| rest.matches('/').count() == 1);
        below && matches!(self.what, What::OneOf(_))
    }

    fn into_error(self) -> FieldError {
        let (code, text) = match self.what {
            What::Unknown => (
                code::UNKNOWN_KEY,
                "The runtime does not know this key here. Remove it or correct its name.".to_owned(),
            ),
            What::Missing => (code::MISSING_KEY, "The runtime requires this key.".to_owned()),
            What::Type(types) => {
                let types: Vec<&str> = types.into_iter().collect();
                (code::WRONG_TYPE, format!("This must be {}.", types.join(" or ")))
            }
            What::OneOf(values) => {
                let mut words: Vec<String> = values.iter().map(Value::to_string).collect();
                words.dedup();
                (code::NOT_ALLOWED_VALUE, format!("This must be one of {}.", words.join(", ")))
            }
            What::Other(code, text) => (code, text),
        };
        FieldError::new(self.pointer, code, text)
    }
}

fn name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    }
}
