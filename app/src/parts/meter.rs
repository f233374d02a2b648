//! How much of a quota is used.

use leptos::prelude::*;

use super::Tone;

/// A bar from nothing to `limit`; green, then amber from 80 %, red at the limit.
#[component]
pub fn Meter(
    /// How much is used.
    #[prop(into)]
    used: Signal<u32>,
    /// How much there may be.
    #[prop(into)]
    limit: Signal<u32>,
    /// What is measured, for assistive technology.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let tone = move || match (used.get(), limit.get()) {
        (used, limit) if used >= limit => Tone::Bad,
        (used, limit) if u64::from(used) * 10 >= u64::from(limit) * 8 => Tone::Warn,
        _ => Tone::Ok,
    };
    let width = move || {
        let share = f64::from(used.get()) / f64::from(limit.get().max(1));
        format!("{:.1}%", share.min(1.0) * 100.0)
    };
    view! {
        <svg
            class=move || format!("meter {}", tone().class())
            role="img"
            aria-label=move || format!("{}: {} of {}", label.get(), used.get(), limit.get())
        >
            <rect class="rail" width="100%" height="8" rx="4"></rect>
            <rect class="fill" width=width height="8" rx="4"></rect>
        </svg>
    }
}
