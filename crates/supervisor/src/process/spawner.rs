//! One thread that starts all processes.
//!
//! The kernel sends the parent-death signal when the *thread* that started a child ends, not the process. Threads of a runtime come
//! and go; this one lives as long as the supervisor.

use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Answer = oneshot::Sender<std::io::Result<Child>>;
type Order = (Command, Handle, Answer);

static ORDERS: OnceLock<Sender<Order>> = OnceLock::new();

/// Starts `command` from the thread that never ends.
pub(super) async fn spawn(command: Command) -> std::io::Result<Child> {
    let orders = ORDERS.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, runtime, answer) in receiver {
                let _inside = runtime.enter();
                // Nobody waits for it any more: dropping the child ends it.
                let _ = answer.send(command.spawn());
            }
        });
        sender
    });
    let (answer, result) = oneshot::channel();
    let gone = || std::io::Error::other("the thread that starts processes is gone");
    orders.send((command, Handle::current(), answer)).map_err(|_| gone())?;
    result.await.map_err(|_| gone())?
}
