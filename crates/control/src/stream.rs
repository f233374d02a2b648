//! Answers that go on for long: they end when their caller may not have them any more.
//!
//! Signing out, revoking a key, disabling a person and taking a permission away all end a stream within [`Settings::look_again`]
//! and the time that one look takes, well under 30 s.
//!
//! [`Settings::look_again`]: crate::settings::Settings::look_again

use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, StreamExt, stream};
use metrics::{Gauge, gauge};
use occ_model::metric::STREAMS;
use occ_model::operation::Action;
use occ_policy::Target;

use crate::context::Cx;

/// One look takes at most so long; who cannot be looked at is not allowed (I13).
const LOOK: Duration = Duration::from_secs(10);

/// Ends when the caller is not recognised any more, may not do `action` on `target` any more, or neither can be told.
pub(crate) fn lapse(cx: &Cx, action: Action, target: Target) -> BoxFuture<'static, ()> {
    let cx = cx.clone();
    async move {
        loop {
            tokio::time::sleep(cx.settings.look_again).await;
            let look = async { Ok(cx.still_recognised().await? && cx.may(action, target).await?) };
            match tokio::time::timeout(LOOK, look).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) | Err(_) => return,
                Ok(Err::<_, crate::Error>(error)) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, "a stream ended: whether its caller may go on could not be told");
                    return;
                }
            }
        }
    }
    .boxed()
}

struct Until<T> {
    /// Dropped as soon as it is over: what lies behind it ends with it.
    items: Option<BoxStream<'static, T>>,
    end: BoxFuture<'static, ()>,
    farewell: Option<T>,
}

/// The items until `end`; then `farewell`, if there is one, and no more.
pub fn until<T: Send + 'static>(
    items: BoxStream<'static, T>,
    end: impl Future<Output = ()> + Send + 'static,
    farewell: Option<T>,
) -> BoxStream<'static, T> {
    let whole = Until { items: Some(items), end: end.boxed(), farewell };
    stream::unfold(whole, |mut whole| async {
        let items = whole.items.as_mut()?;
        tokio::select! {
            biased;
            () = &mut whole.end => {
                whole.items = None;
                whole.farewell.take().map(|item| (item, whole))
            }
            item = items.next() => item.map(|item| (item, whole)),
        }
    })
    .boxed()
}

/// A gauge that is one higher for as long as the value lives.
struct Open(Gauge);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// The same items, counted as an open stream of this name.
pub fn counted<T>(
    name: &'static str,
    items: impl Stream<Item = T> + Send + 'static,
) -> impl Stream<Item = T> + Send + 'static {
    let open = Open(gauge!(STREAMS.name, "stream" => name));
    open.0.increment(1);
    items.inspect(move |_| {
        let _open = &open;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_says_farewell_once_and_lets_go_of_what_is_behind() {
        let (hung_up, gone) = tokio::sync::oneshot::channel::<()>();
        let behind = stream::once(async { 1 })
            .chain(stream::once(async move {
                let _held = hung_up;
                std::future::pending().await
            }))
            .boxed();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let mut items = until(behind, ended.map(|_| ()), Some(9));
        assert_eq!(items.next().await, Some(1));
        assert!(futures::poll!(items.next()).is_pending());
        end.send(()).unwrap_or_default();
        assert_eq!(items.next().await, Some(9));
        assert!(gone.await.is_err());
        assert_eq!(items.next().await, None);
        // What ends by itself says nothing more.
        let by_itself = until(stream::iter([1]).boxed(), std::future::pending(), Some(9));
        assert_eq!(by_itself.collect::<Vec<_>>().await, [1]);
    }
}
