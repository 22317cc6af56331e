//! A thread without a subscriber for the protocol library's own task: at level trace, the library logs whole messages with
//! all secrets in them.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
#[cfg(feature = "mcp-http")]
use std::sync::{Arc, Mutex, Weak};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::subscriber::{NoSubscriber, set_default};

/// Starts a runtime on a thread of its own, which ends with `run`.
pub(super) fn start_runtime(name: &str, run: impl FnOnce(Runtime) + Send + 'static) -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || run(runtime))?;
    Ok(handle)
}

/// The thread of all connections of a server that is reached by address.
#[derive(Clone, Default)]
pub(super) struct SharedThread(#[cfg(feature = "mcp-http")] Arc<Mutex<Weak<UntracedThread>>>);

impl SharedThread {
    /// The thread, which is started if no connection uses it.
    #[cfg(feature = "mcp-http")]
    pub(super) fn get(&self) -> io::Result<Arc<UntracedThread>> {
        let mut shared = crate::mutex::lock(&self.0);
        if let Some(thread) = shared.upgrade() {
            return Ok(thread);
        }
        let thread = Arc::new(UntracedThread::start(false)?);
        *shared = Arc::downgrade(&thread);
        Ok(thread)
    }
}

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
        let over = CancellationToken::new();
        let until = over.clone();
        let runtime = start_runtime("onionskin-mcp-io", move |runtime| {
            let _untraced = set_default(NoSubscriber::new());
            runtime.block_on(until.cancelled());
        })?;
        Ok(Self { runtime, _over: Some(over.drop_guard()) })
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
