//! Names of user-made resources and the texts people attach to them.
//!
//! A [`Name`] is a DNS label, unique in its scope and immutable. Display names, descriptions and labels are bounded text without
//! control characters; they are shown as text, never as markup.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};

/// A text that breaks the rule of its type; the message says the rule, never the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidText(pub &'static str);

macro_rules! text {
    ($(#[$meta:meta])* $name:ident, $rule:literal, $check:expr) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str { &self.0 }
        }
        impl FromStr for $name {
            type Err = InvalidText;
            fn from_str(text: &str) -> Result<Self, InvalidText> {
                let check: fn(&str) -> bool = $check;
                if check(text) { Ok(Self(text.to_owned())) } else { Err(InvalidText($rule)) }
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(d)?.parse().map_err(de::Error::custom)
            }
        }
    };
}

fn dns_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let edge = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|b| edge(b) || *b == b'-')
        && bytes.first().is_some_and(edge)
        && bytes.last().is_some_and(edge)
}

/// Text of `1..=max` code points without control characters.
fn plain(text: &str, max: usize) -> bool {
    !text.is_empty() && text.chars().count() <= max && !text.chars().any(is_control)
}

/// Controls, and the bidirectional marks that can make a text read as another.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

text! {
    /// A DNS label: `[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`.
    Name, "must be 1 to 63 lower-case letters, digits or hyphens, and start and end with a letter or digit", dns_label
}
text! {
    /// A name for people: 1 to 200 code points without control characters.
    DisplayName, "must be 1 to 200 characters without control characters", |t| plain(t, 200)
}
text! {
    /// A description: at most 2,000 code points; line breaks allowed.
    Description, "must be at most 2,000 characters without control characters other than line breaks",
    |t| t.chars().count() <= 2000 && !t.chars().any(|c| is_control(c) && c != '\n')
}
text! {
    /// The key of a label: 1 to 128 letters, digits, `.`, `_`, `/`, `-`.
    LabelKey, "must be 1 to 128 letters, digits or . _ / -",
    |t| (1..=128).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/-".contains(&b))
}
text! {
    /// The value of a label: at most 256 code points without control characters.
    LabelValue, "must be at most 256 characters without control characters", |t| t.is_empty() || plain(t, 256)
}
text! {
    /// What a client sends to make a mutation happen once: `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    IdempotencyKey, "must be 1 to 128 letters, digits or . _ : - and start with a letter or digit",
    |t| (1..=128).contains(&t.len())
        && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
        && t.as_bytes()[0].is_ascii_alphanumeric()
}

/// At most 64 labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(value_type = std::collections::BTreeMap<String, String>))]
#[serde(transparent)]
pub struct Labels(pub BTreeMap<LabelKey, LabelValue>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let map = BTreeMap::deserialize(d)?;
        if map.len() > 64 {
            return Err(de::Error::custom("must be at most 64 labels"));
        }
        Ok(Self(map))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_name_is_a_dns_label() {
        for good in ["a", "paper-reader", "0", &"a".repeat(63)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "a.b", "agt_1", &"a".repeat(64), "ä"] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_display_name_may_be_markup_but_no_control() {
        assert!("<script>alert(1)</script>".parse::<DisplayName>().is_ok());
        for bad in ["", "a\u{0}b", "a\nb", "a\u{202e}b", &"x".repeat(201)] {
            assert!(bad.parse::<DisplayName>().is_err());
        }
    }
}
