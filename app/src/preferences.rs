//! What a person chose for this browser: theme, last Namespace, single-key shortcuts. Kept in cookies so that the server's
//! first paint is already right; nothing here is a secret or decides anything about access.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follow `prefers-color-scheme`.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// Every theme, in the order the toggle goes through them.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The value of the cookie and of `<html data-theme>`; `None` for the system's.
    pub fn value(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The word for a person.
    pub fn label(self) -> &'static str {
        match self {
            Self::System => "As the system",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    fn from_value(value: Option<&str>) -> Self {
        match value {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }
}

const THEME: &str = "occ_theme";
const NAMESPACE: &str = "occ_namespace";
const SHORTCUTS: &str = "occ_shortcuts";

/// The preferences of this browser, reactive.
#[derive(Clone, Copy)]
pub struct Preferences {
    /// Light, dark or the system's.
    pub theme: RwSignal<Theme>,
    /// The Namespace that was open last.
    pub namespace: RwSignal<Option<String>>,
    /// Whether single keys (`g a`, `/`, `?`) act; people who use speech input switch them off (WCAG 2.1.4).
    pub shortcuts: RwSignal<bool>,
}

/// Reads the cookies, provides [`Preferences`], and writes every change back.
pub fn provide_preferences() -> Preferences {
    let preferences = Preferences {
        theme: RwSignal::new(theme()),
        namespace: RwSignal::new(cookie(NAMESPACE).filter(|name| is_name(name))),
        shortcuts: RwSignal::new(cookie(SHORTCUTS).as_deref() != Some("off")),
    };
    provide_context(preferences);
    Effect::new(move |before: Option<Theme>| {
        let theme = preferences.theme.get();
        if before.is_some_and(|before| before != theme) {
            set_cookie(THEME, theme.value());
            if let Some(html) = document().document_element() {
                let _ = match theme.value() {
                    Some(value) => html.set_attribute("data-theme", value),
                    None => html.remove_attribute("data-theme"),
                };
            }
        }
        theme
    });
    Effect::new(move |before: Option<Option<String>>| {
        let namespace = preferences.namespace.get();
        if before.is_some_and(|before| before != namespace) {
            set_cookie(NAMESPACE, namespace.as_deref());
        }
        namespace
    });
    Effect::new(move |before: Option<bool>| {
        let on = preferences.shortcuts.get();
        if before.is_some_and(|before| before != on) {
            set_cookie(SHORTCUTS, (!on).then_some("off"));
        }
        on
    });
    preferences
}

/// The preferences of this browser; the defaults where nobody provided them.
pub fn use_preferences() -> Preferences {
    use_context().unwrap_or_else(|| Preferences {
        theme: RwSignal::new(Theme::System),
        namespace: RwSignal::new(None),
        shortcuts: RwSignal::new(true),
    })
}

/// The theme that this request's (or this document's) cookie asks for.
pub fn theme() -> Theme {
    Theme::from_value(cookie(THEME).as_deref())
}

/// A resource name as the API defines it; anything else in a cookie is ignored.
fn is_name(text: &str) -> bool {
    (1..=63).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn cookie(name: &str) -> Option<String> {
    let all = all_cookies()?;
    find_cookie(&all, name).map(ToOwned::to_owned)
}

fn find_cookie<'a>(all: &'a str, name: &str) -> Option<&'a str> {
    all.split(';').filter_map(|pair| pair.trim().split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(feature = "ssr")]
fn all_cookies() -> Option<String> {
    let parts = use_context::<http::request::Parts>()?;
    let values = parts.headers.get_all(http::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    Some(values.collect::<Vec<_>>().join("; "))
}

#[cfg(not(feature = "ssr"))]
fn all_cookies() -> Option<String> {
    html_document()?.cookie().ok()
}

fn html_document() -> Option<web_sys::HtmlDocument> {
    document().dyn_into().ok()
}

fn set_cookie(name: &str, value: Option<&str>) {
    let Some(document) = html_document() else { return };
    let text = match value {
        Some(value) => format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax"),
        None => format!("{name}=; Path=/; Max-Age=0; SameSite=Lax"),
    };
    let _ = document.set_cookie(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let all = "occ_themes=light; occ_theme=dark; __Host-occ_session=x";
        assert_eq!(find_cookie(all, "occ_theme"), Some("dark"));
        assert_eq!(find_cookie(all, "theme"), None);
    }

    #[test]
    fn an_unknown_theme_follows_the_system() {
        assert_eq!(Theme::from_value(Some("\"><script>")), Theme::System);
    }

    #[test]
    fn a_namespace_cookie_must_be_a_name() {
        assert!(is_name("research"));
        assert!(!is_name("../etc"));
        assert!(!is_name(""));
    }
}
