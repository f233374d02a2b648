//! Why the configuration cannot be used: where, what, and what to do next. No text repeats a value, since it may be a secret.

/// The configuration cannot be used. Nothing was started or changed.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}\n  next: {next}")]
pub struct ConfigError {
    /// The file with line, column and key, or the variable of the environment.
    pub place: String,
    /// What is wrong there.
    pub what: String,
    /// What a person can do.
    pub next: String,
}

impl ConfigError {
    /// At `place`.
    pub(super) fn new(place: impl Into<String>, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), next: next.into() }
    }
}

/// A parser's words without the values that they quote, and the next step that they call for.
pub(super) fn explain(message: &str) -> (String, &'static str) {
    const SEE: &str = "correct the value; `occ config schema` says what each key takes";
    let quoted =
        [("invalid type: string \"", "a text stands here"), ("invalid value: string \"", "the text is not valid")];
    for (start, ours) in quoted {
        if message.starts_with(start) {
            let expected = message.rsplit_once("\", expected ").map(|(_, expected)| expected);
            return (expected.map_or_else(|| ours.to_owned(), |expected| format!("{ours}, expected {expected}")), SEE);
        }
    }
    if let Some((_, expected)) =
        message.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    {
        return (format!("this word is not known here, expected {expected}"), SEE);
    }
    if message.starts_with("missing field ") {
        return (message.to_owned(), "set that key as well; `occ config schema` lists every key");
    }
    if message.starts_with("unknown field ") {
        return (message.to_owned(), "remove the key or correct its name; `occ config schema` lists every key");
    }
    (message.to_owned(), SEE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i10_no_message_repeats_a_value() {
        for message in [
            "invalid type: string \"hunter2\", expected u32",
            "invalid value: string \"hunter2\", expected relative URL without a base",
            "unknown variant `hunter2`, expected `bubblewrap` or `none`",
        ] {
            let (what, _) = explain(message);
            assert!(!what.contains("hunter2") && what.contains("expected"), "{what}");
        }
        let (what, next) = explain("unknown field `prot`, expected `listen`");
        assert!(what.contains("prot") && next.contains("config schema"));
    }
}
