//! Short messages about what just happened. They say nothing that is not also on the page, and go by themselves.

use std::time::Duration;

use leptos::prelude::*;

use super::{Glyph, Icon, Tone};

const STAYS: Duration = Duration::from_secs(6);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Toast {
    id: u64,
    tone: Tone,
    text: String,
}

/// The messages on screen.
#[derive(Clone, Copy)]
pub struct ToastBox {
    shown: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl ToastBox {
    /// Shows a message.
    pub fn say(self, tone: Tone, text: impl Into<String>) {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        self.shown.update(|shown| shown.push(Toast { id, tone, text: text.into() }));
        set_timeout(move || self.drop(id), STAYS);
    }

    fn drop(self, id: u64) {
        // The page may be gone by then.
        let _ = self.shown.try_update(|shown| shown.retain(|toast| toast.id != id));
    }
}

/// Provides the box of messages.
pub fn provide_toasts() {
    provide_context(ToastBox { shown: RwSignal::new(Vec::new()), next: StoredValue::new(0) });
}

/// The box of messages; one that nobody sees where none was provided.
pub fn use_toasts() -> ToastBox {
    use_context().unwrap_or_else(|| ToastBox { shown: RwSignal::new(Vec::new()), next: StoredValue::new(0) })
}

/// Where the messages appear; announced politely.
#[component]
pub fn Toasts() -> impl IntoView {
    let toasts = use_toasts();
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.shown.get() key=|toast| toast.id let:toast>
                <div class=format!("toast {}", toast.tone.class())>
                    <Glyph icon=if toast.tone == Tone::Ok { Icon::Check } else { Icon::Info } />
                    <span class="grow">{toast.text.clone()}</span>
                    <button
                        type="button"
                        class="btn quiet s"
                        aria-label="Dismiss"
                        on:click=move |_| toasts.drop(toast.id)
                    >
                        <Glyph icon=Icon::Close />
                    </button>
                </div>
            </For>
        </div>
    }
}
