//! Signing in: the page that says how, and the page of a one-time link. Both are plain HTML and work without WASM.
//!
//! Invariant: opening a link consumes nothing (mail scanners and previews open links); only its button does, by POST to the
//! same address, which the server takes.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::parts::{Brand, Note, Tone};

/// How to sign in.
#[component]
pub fn SignIn() -> impl IntoView {
    let query = use_query_map();
    let problem = move || match query.with(|query| query.get("problem"))?.as_str() {
        "link" => Some(("This link was used, is too old, or is none of ours.", "Make a new one as shown below.")),
        "limit" => Some(("Too many tries.", "Wait a minute, then try again.")),
        _ => Some(("Signing in did not work.", "Make a new link as shown below.")),
    };
    view! {
        <Title text="Sign in · OpenClaw Control Plane" />
        <main class="alone">
            <section class="card">
                <Brand />
                <h1>"Sign in"</h1>
                <p class="muted mt-1 mb-4">"Accounts are enrolled by an administrator."</p>
                {move || {
                    problem()
                        .map(|(what, next)| {
                            view! {
                                <div class="mb-4">
                                    <Note tone=Tone::Bad what=what next=next />
                                </div>
                            }
                        })
                }}
                <p>"On the machine of the control plane, run"</p>
                <p class="my-2">
                    <code class="tag">"occ signin-link"</code>
                </p>
                <p>"and open the link that it prints. A link works once, for 15 minutes."</p>
            </section>
        </main>
    }
}

/// The page of a one-time link.
#[component]
pub fn SignInLink() -> impl IntoView {
    view! {
        <Title text="Sign in · OpenClaw Control Plane" />
        <main class="alone">
            <section class="card">
                <Brand />
                <h1>"Sign in"</h1>
                <p class="muted mt-1 mb-4">"This link signs you in once, on this device."</p>
                // Without `action` the form goes to this very address, so the link is written nowhere.
                <form method="post">
                    <button type="submit" class="btn primary l">
                        "Sign in"
                    </button>
                </form>
            </section>
        </main>
    }
}
