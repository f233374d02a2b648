//! Running an effect on the target while watching everything that ends it: the claim, the policy, and what people asked meanwhile.

use std::time::Duration;

use super::check::{self, Ending, Side};
use super::fault::Fault;
use super::held::Held;
use super::reauthorize::reauthorize;
use super::scene::Scene;
use crate::context::Cx;

/// Looked at by itself so often; a commit wakes it at once.
const LOOK: Duration = Duration::from_secs(5);
/// Between two looks while the database does not answer.
const PAUSE: Duration = Duration::from_millis(500);

/// An effect's result, or what ended it.
pub(super) enum Guarded<T> {
    Done(T),
    Ended(Ending),
}

/// Runs `effect` and stores the steps that it reports. A lost claim drops it and is an error; an ending drops it and is answered. A
/// policy that moves is decided again beside it: an allowed effect goes on.
pub(super) async fn guard<T>(
    cx: &Cx,
    held: &Held,
    scene: &Scene,
    side: Side,
    effect: impl Future<Output = T> + Send,
) -> Result<Guarded<T>, Fault> {
    let claim = held.claim()?;
    let work = scene.steps.during(cx, held.hold(), scene.key, effect);
    tokio::pin!(work);
    loop {
        let woken = cx.wake.notified();
        tokio::pin!(woken);
        woken.as_mut().enable();
        let moved = tokio::select! {
            biased;
            () = claim.lost() => return Err(Fault::Lost),
            done = &mut work => return Ok(Guarded::Done(done)),
            () = claim.policy_moved(scene.authorized()), if side != Side::TurningBack => true,
            () = woken => false,
            () = tokio::time::sleep(LOOK) => false,
        };
        match look(cx, scene, side, moved).await {
            Ok(Some(ending)) => return Ok(Guarded::Ended(ending)),
            Ok(None) => {}
            // The database does not answer: the lease says how long the effect may go on without it.
            Err(Fault::Wait { reason, .. }) => {
                tracing::debug!(reason, "it could not be looked whether a step is still wanted");
                tokio::select! {
                    biased;
                    () = claim.lost() => return Err(Fault::Lost),
                    done = &mut work => return Ok(Guarded::Done(done)),
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
            Err(fault) => return Err(fault),
        }
    }
}

async fn look(cx: &Cx, scene: &Scene, side: Side, moved: bool) -> Result<Option<Ending>, Fault> {
    if moved && let Some(denied) = reauthorize(cx, scene).await? {
        return Ok(Some(denied));
    }
    check::look(cx, scene, side).await
}
