//! A thread without a subscriber for the protocol library's own task: at level trace, the library logs whole messages with
//! all secrets in them.

use std::future::poll_fn;
use std::io;
use std::pin::pin;

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::subscriber::{NoSubscriber, set_default};

/// The thread. It ends when this is dropped, and the task with it.
pub(super) struct UntracedThread {
    runtime: Handle,
    _over: Option<DropGuard>,
}

impl UntracedThread {
    /// With `in_place` no thread is started: tests have no secrets and share one clock.
    pub(super) fn start(in_place: bool) -> io::Result<Self> {
        if in_place {
            return Ok(Self { runtime: Handle::current(), _over: None });
        }
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let over = CancellationToken::new();
        let until = over.clone();
        std::thread::Builder::new().name("onionskin-mcp-io".into()).spawn(move || {
            let _untraced = set_default(NoSubscriber::new());
            runtime.block_on(until.cancelled());
        })?;
        Ok(Self { runtime: handle, _over: Some(over.drop_guard()) })
    }

    /// Polls `work` in the caller's task. Tasks that it spawns run on this thread.
    pub(super) async fn spawning<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            let _there = self.runtime.enter();
            work.as_mut().poll(cx)
        })
        .await
    }
}
