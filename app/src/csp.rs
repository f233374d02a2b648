//! The Content-Security-Policy of every page the console renders.
//!
//! Invariant: no inline style and no inline script without this request's nonce; WebAssembly is the only thing compiled at
//! run time; nothing is loaded from, sent to, or framed by another origin.

use leptos::prelude::*;

/// Writes the policy into the response being rendered, with the nonce that leptos puts on its own scripts.
pub fn set_header() {
    let Some(response) = use_context::<leptos_axum::ResponseOptions>() else { return };
    let nonce = leptos::nonce::use_nonce().map(|nonce| nonce.to_string()).unwrap_or_default();
    if let Ok(value) = http::HeaderValue::from_str(&policy(&nonce, reload_socket().as_deref())) {
        response.insert_header(http::header::CONTENT_SECURITY_POLICY, value);
    }
}

fn policy(nonce: &str, reload_socket: Option<&str>) -> String {
    let reload = reload_socket.map(|socket| format!(" {socket}")).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'{reload}; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    )
}

/// `cargo leptos watch` talks to the page over a socket on a port of its own; it says so in the environment.
fn reload_socket() -> Option<String> {
    std::env::var_os("LEPTOS_WATCH")?;
    let port = std::env::var("LEPTOS_RELOAD_PORT").unwrap_or_else(|_| "7172".to_owned());
    port.parse::<u16>().ok().map(|port| format!("ws://127.0.0.1:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inline_is_allowed_without_the_nonce() {
        let policy = policy("abc", None);
        assert!(!policy.contains("unsafe-inline"));
        assert!(policy.contains("'nonce-abc'"));
        assert_eq!(policy.matches("unsafe-eval").count(), policy.matches("'wasm-unsafe-eval'").count());
    }
}
