//! A place for what belongs to the browser's one thread: sockets, closures, requests under way.
//!
//! Invariant: it is empty on the server, where a page is made on one thread and dropped on another; only effects and event
//! handlers fill it, and those never run there.

use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// The place; copied freely, emptied (and its content dropped) when its owner goes.
pub struct Local<T: 'static>(StoredValue<Option<SendWrapper<T>>>);

impl<T> Clone for Local<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Local<T> {}

impl<T> Default for Local<T> {
    fn default() -> Self {
        Self(StoredValue::new(None))
    }
}

impl<T> Local<T> {
    /// Puts something there; what was there is dropped.
    pub fn set(self, value: T) {
        let _ = self.0.try_set_value(Some(SendWrapper::new(value)));
    }

    /// Empties it.
    pub fn clear(self) -> Option<T> {
        self.0.try_update_value(Option::take).flatten().map(SendWrapper::take)
    }

    /// Whether something is there.
    pub fn is_set(self) -> bool {
        self.0.try_with_value(Option::is_some).unwrap_or(false)
    }

    /// Looks at what is there.
    pub fn with(self, look: impl FnOnce(&T)) {
        let _ = self.0.try_with_value(|value| value.as_deref().map(look));
    }
}
