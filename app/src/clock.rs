//! The time as the page sees it: one signal that ticks each second while the tab is visible.
//!
//! Invariants: components never read a clock of their own, so everything relative on a page moves together and a hidden
//! tab does nothing; a page comes alive at the time at which the server rendered it, since what is drawn from the time (the
//! marks of an axis, say) must be what the server drew; only then does it move on to the browser's time.

use std::time::Duration;

use leptos::prelude::*;
use time::OffsetDateTime;

/// The current time, in UTC, from the browser's clock in the browser and from the system's on the server.
pub fn utc_now() -> OffsetDateTime {
    #[cfg(target_arch = "wasm32")]
    {
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 fit an i64 for ages")]
        let millis = js_sys::Date::now() as i64;
        from_millis(millis)
    }
    #[cfg(not(target_arch = "wasm32"))]
    OffsetDateTime::now_utc()
}

/// The instant of so many milliseconds since 1970.
fn from_millis(millis: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// The milliseconds since 1970.
fn to_millis(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// The ticking time, provided to the whole page by [`provide_now`].
#[derive(Clone, Copy)]
pub struct Now(RwSignal<OffsetDateTime>);

impl Now {
    /// The time, tracked.
    pub fn get(self) -> OffsetDateTime {
        self.0.get()
    }

    /// The time, as it is now for the page, not tracked.
    pub fn get_untracked(self) -> OffsetDateTime {
        self.0.get_untracked()
    }
}

/// Starts the tick and provides [`Now`].
pub fn provide_now() {
    // The server's time travels with the page.
    let rendered = SharedValue::new(|| to_millis(utc_now())).into_inner();
    let now = RwSignal::new(from_millis(rendered));
    provide_context(Now(now));
    Effect::new(move |_| {
        now.set(utc_now());
        let tick = move || {
            if !document().hidden() {
                now.set(utc_now());
            }
        };
        if let Ok(handle) = set_interval_with_handle(tick, Duration::from_secs(1)) {
            on_cleanup(move || handle.clear());
        }
    });
}

/// The ticking time; a standing one where nobody provided it (a part rendered alone in a test).
pub fn use_now() -> Now {
    use_context::<Now>().unwrap_or_else(|| Now(RwSignal::new(utc_now())))
}
