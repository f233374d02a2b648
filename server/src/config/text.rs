//! Texts of the file: variables of the environment are put in, and passwords are refused.

use toml::de::{DeTable, DeValue};
use url::Url;

use super::error::ConfigError;
use super::load::Environment;
use super::origin::{Source, join};

/// Keys whose texts may hold a password, and where it belongs instead.
const MAY_HOLD_PASSWORDS: [(&str, &str); 2] =
    [("database.url", "OCC_DATABASE_URL"), ("database.owner_url", "OCC_DATABASE_OWNER_URL")];

/// Puts variables into every text under `table`.
pub(super) fn expand(
    table: &mut DeTable<'_>,
    under: &str,
    source: &Source,
    environment: &Environment,
) -> Result<(), ConfigError> {
    for (name, value) in table {
        let key = join(under, name.get_ref());
        let span = value.span();
        let place = || source.key_at(Some(span.clone()), &key);
        match value.get_mut() {
            DeValue::Table(inner) => expand(inner, &key, source, environment)?,
            DeValue::String(text) => {
                no_password(&key, text, &place)?;
                let full = substitute(text, environment).map_err(|fault| fault.at(place()))?;
                *text = full.into();
            }
            _ => {}
        }
    }
    Ok(())
}

fn no_password(key: &str, text: &str, place: &impl Fn() -> String) -> Result<(), ConfigError> {
    let Some((_, variable)) = MAY_HOLD_PASSWORDS.iter().find(|(known, _)| *known == key) else { return Ok(()) };
    let password = !text.contains("${") && Url::parse(text).is_ok_and(|url| url.password().is_some());
    if !password {
        return Ok(());
    }
    Err(ConfigError::new(
        place(),
        "a password does not belong into this file",
        format!("put the URL into a file of mode 0600 and name it with {key}_file, or use {variable}"),
    ))
}

/// What is wrong with the variables of a text.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    Unset(String),
    Open,
    Name,
}

impl Fault {
    fn at(self, place: String) -> ConfigError {
        const WRITE: &str = "write ${NAME}, or $${ where you mean the characters themselves";
        match self {
            Self::Unset(name) => ConfigError::new(
                place,
                format!("the environment variable {name} is not set"),
                format!("set {name} for occ, or write the value itself; $${{ stands for ${{"),
            ),
            Self::Open => ConfigError::new(place, "a ${ is not closed", WRITE),
            Self::Name => ConfigError::new(
                place,
                "what stands between ${ and } is no name of a variable (letters, digits and _)",
                WRITE,
            ),
        }
    }
}

fn substitute(text: &str, environment: &Environment) -> Result<String, Fault> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(kept) = before.strip_suffix('$') {
            out.push_str(kept);
            out.push_str("${");
            rest = after;
            continue;
        }
        out.push_str(before);
        let (name, tail) = after.split_once('}').ok_or(Fault::Open)?;
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if name.is_empty() || !plain {
            return Err(Fault::Name);
        }
        out.push_str(environment.get(name).ok_or_else(|| Fault::Unset(name.to_owned()))?);
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_an_unset_one_is_named() {
        let environment = Environment::from([("HOST".to_owned(), "db.example.org".to_owned())]);
        let put = |text| substitute(text, &environment);
        assert_eq!(put("postgres://${HOST}/occ"), Ok("postgres://db.example.org/occ".to_owned()));
        assert_eq!(put("a $${HOST} b $ {"), Ok("a ${HOST} b $ {".to_owned()));
        assert_eq!(put("${PORT}"), Err(Fault::Unset("PORT".to_owned())));
        assert_eq!(put("${HOST"), Err(Fault::Open));
        assert_eq!(put("${a b}"), Err(Fault::Name));
        assert_eq!(put("${}"), Err(Fault::Name));
    }
}
