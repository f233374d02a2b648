//! Who is signed in. A page that nobody is signed in for sends to the sign-in page while it is rendered; later a lost session
//! is only said, so that nothing typed is lost and a late 401 never ends a newer session (law 1).

use leptos::prelude::*;
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::fault::Fault;
use crate::live::use_live;
use crate::load::{Reading, read};
use crate::parts::{Note, Tone};
use crate::paths;

/// What the frame shows of the person who is signed in, and where they can go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    /// The person's name, as they are shown to others.
    pub name: String,
    /// The names of the Namespaces that they may read.
    pub namespaces: Vec<String>,
}

/// Reads who is signed in, and again when Namespaces come and go.
pub fn read_viewer() -> Reading<Viewer> {
    let changes = use_live().watch_kinds(&[occ_model::operation::Kind::Namespace]);
    read(move || changes.get(), |_| fetch())
}

async fn fetch() -> Result<Viewer, Fault> {
    let me = api::me::get().await.inspect_err(send_to_sign_in)?;
    let query = ListQuery { limit: Some(200), ..ListQuery::default() };
    // Somebody without any Namespace may still look at their account.
    let namespaces = api::namespace::list(query).await.map(|page| page.items).unwrap_or_default();
    Ok(Viewer { name: me.name, namespaces: namespaces.into_iter().map(|n| n.meta.name.to_string()).collect() })
}

/// While a page is rendered, nobody signed in means the sign-in page.
fn send_to_sign_in(fault: &Fault) {
    #[cfg(feature = "ssr")]
    if fault.code() == Some(Code::Unauthenticated)
        && let Some(parts) = use_context::<http::request::Parts>()
        && parts.uri.path().starts_with(paths::HOME)
    {
        leptos_axum::redirect(paths::SIGN_IN);
    }
    #[cfg(not(feature = "ssr"))]
    let _ = fault;
}

/// Says that the session has ended, above a page that is still there.
#[component]
pub fn SessionEnded(
    /// Who is signed in, or why nobody is.
    viewer: Reading<Viewer>,
) -> impl IntoView {
    // A resource keeps no history; whether somebody was signed in on this page is remembered here.
    let was_in = StoredValue::new(false);
    let ended = move || match viewer.get() {
        Some(Ok(_)) => {
            was_in.set_value(true);
            false
        }
        Some(Err(fault)) => was_in.get_value() && fault.code() == Some(Code::Unauthenticated),
        None => false,
    };
    view! {
        <Transition>
            {move || {
                ended()
                    .then(|| {
                        view! {
                            <Note
                                tone=Tone::Warn
                                what="Your session has ended."
                                means="What you typed is still here."
                                next="Sign in again in another tab, then go on here."
                            >
                                <a class="btn s" href=paths::SIGN_IN target="_blank" rel="external">
                                    "Sign in"
                                </a>
                            </Note>
                        }
                    })
            }}
        </Transition>
    }
}
