//! Takes secrets out of what a runtime says.
//!
//! Two nets: the values that this supervisor delivered, and shapes of tokens that anybody could have put into a document or a message.

use std::sync::{Arc, PoisonError, RwLock};

use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

/// What stands where a secret was.
const MASK: &str = "[redacted]";
/// Shorter values are taken out only where they stand as words of their own: as parts of other words they would be found everywhere.
/// Lines of a value that are shorter are no secret by themselves.
const SHORTEST: usize = 6;
/// Beginnings of tokens of known kinds; the word that follows is taken out too.
const PREFIXES: [&str; 14] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "AKIA",
    "AIza",
    "eyJhbGciOi",
    "occ_",
];
/// Words after which a value follows that is a secret whatever it looks like.
const NAMES: [&str; 6] = ["bearer ", "authorization: ", "api-key: ", "x-api-key: ", "api_key=", "token="];
/// Schemes of an `Authorization` header.
const SCHEMES: [&str; 2] = ["bearer ", "basic "];

/// The values to take out. Cheap to clone; clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Arc<RwLock<Vec<SecretString>>>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor(…)")
    }
}

impl Redactor {
    /// One that knows shapes only.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on takes `value` out, and each of its lines if it has several; also as they stand in a text of JSON.
    pub fn learn(&self, value: &str) {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        let whole = value.trim();
        let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST);
        for part in std::iter::once(whole).filter(|whole| !whole.is_empty()).chain(lines) {
            let escaped = escaped(part);
            for form in [Some(part), escaped.as_deref().map(String::as_str)].into_iter().flatten() {
                if !values.iter().any(|known| known.expose_secret() == form) {
                    values.push(SecretString::from(form.to_owned()));
                }
            }
        }
        // A value that contains another is taken out first.
        values.sort_by_key(|value| std::cmp::Reverse(value.expose_secret().len()));
    }

    /// `text` without secrets.
    pub fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in self.values.read().unwrap_or_else(PoisonError::into_inner).iter() {
            let value = value.expose_secret();
            if value.len() < SHORTEST {
                text = without_word(text, value);
            } else if text.contains(value) {
                text = text.replace(value, MASK);
            }
        }
        shapes(&text)
    }
}

/// As it stands in a text of JSON, where that is another form.
fn escaped(part: &str) -> Option<Zeroizing<String>> {
    let quoted = Zeroizing::new(serde_json::to_string(part).ok()?);
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    (inner != part).then(|| Zeroizing::new(inner.to_owned()))
}

/// `text` without `word` where it stands between what no word goes on with.
fn without_word(text: String, word: &str) -> String {
    let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let stands_alone =
        |at: usize| !goes_on(text[..at].chars().next_back()) && !goes_on(text[at + word.len()..].chars().next());
    let found: Vec<usize> = text.match_indices(word).map(|(at, _)| at).filter(|at| stands_alone(*at)).collect();
    if found.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + found.len() * MASK.len());
    let mut rest = 0;
    for at in found {
        out.push_str(&text[rest..at]);
        out.push_str(MASK);
        rest = at + word.len();
    }
    out.push_str(&text[rest..]);
    out
}

/// Masks the words that look like tokens.
fn shapes(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    while rest < text.len() {
        let Some((start, end)) = next_token(text, &lower, rest) else { break };
        out.push_str(&text[rest..start]);
        out.push_str(MASK);
        rest = end;
    }
    out.push_str(&text[rest..]);
    out
}

/// The next thing that looks like a token at or after `from`: begin and end.
fn next_token(text: &str, lower: &str, from: usize) -> Option<(usize, usize)> {
    let by_prefix = PREFIXES.iter().flat_map(|prefix| {
        text[from..].match_indices(prefix).map(move |(at, _)| (from + at, from + at, prefix.len() + 8))
    });
    let by_name = NAMES.iter().flat_map(|name| {
        lower[from..].match_indices(name).map(move |(at, _)| {
            let value = from + at + name.len();
            // The scheme is no secret; what follows it is.
            let scheme =
                SCHEMES.iter().find(|scheme| lower[value..].starts_with(**scheme)).map_or(0, |scheme| scheme.len());
            (value + scheme, value + scheme, SHORTEST)
        })
    });
    by_prefix
        .chain(by_name)
        .filter(|(start, ..)| *start == 0 || !text[..*start].ends_with(|c: char| c.is_ascii_alphanumeric()))
        .filter_map(|(start, word, least)| {
            let length = text[word..].find(|c: char| !is_token(c)).unwrap_or(text.len() - word);
            let masked = text[word..].starts_with(MASK);
            (length >= least && !masked).then_some((start, word + length))
        })
        .min()
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '=' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i10_a_delivered_value_is_taken_out_wherever_it_stands() {
        let redactor = Redactor::new();
        redactor.learn("hunter2-hunter2\nsecond line of it");
        let text = redactor.clone().clean("a hunter2-hunter2 b second line of it c");
        assert_eq!(text, "a [redacted] b [redacted] c");
    }

    #[test]
    fn i10_a_short_value_is_taken_out_where_it_is_a_word() {
        let redactor = Redactor::new();
        redactor.learn("4711");
        redactor.learn("päß");
        redactor.learn(" ");
        for (text, clean) in [
            ("pin=4711&x", "pin=[redacted]&x"),
            ("{\"pin\":\"4711\"} 4711", "{\"pin\":\"[redacted]\"} [redacted]"),
            ("at 14711 and 4711a", "at 14711 and 4711a"),
            ("4711", "[redacted]"),
            ("a päß, päße", "a [redacted], päße"),
        ] {
            assert_eq!(redactor.clean(text), clean);
        }
    }

    #[test]
    fn i10_a_value_is_taken_out_of_json_too() {
        let redactor = Redactor::new();
        redactor.learn("say \"hello\"\nsecond\tline");
        let said = serde_json::json!({ "all": "say \"hello\"\nsecond\tline", "one": "second\tline" }).to_string();
        assert_eq!(redactor.clean(&said), "{\"all\":\"[redacted]\",\"one\":\"[redacted]\"}");
    }

    #[test]
    fn i10_what_looks_like_a_token_is_taken_out() {
        let redactor = Redactor::new();
        for (text, clean) in [
            ("key sk-mock-1234567890 used", "key [redacted] used"),
            ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"),
            ("x-api-key: 0123456789abcdef", "x-api-key: [redacted]"),
            ("token=0123456789&x=1", "token=[redacted]&x=1"),
            ("xoxb-1-2-abcdefghij and ghp_0123456789abcdef", "[redacted] and [redacted]"),
        ] {
            assert_eq!(redactor.clean(text), clean);
        }
    }

    #[test]
    fn ordinary_words_stay() {
        let redactor = Redactor::new();
        redactor.learn("abc\nd");
        for text in ["task-force abc d", "the disk-usage is 3", "bearer of news", "grün sk- ü", ""] {
            assert_eq!(redactor.clean(text), text);
        }
    }
}
