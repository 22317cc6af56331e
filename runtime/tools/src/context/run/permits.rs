//! Permits for concurrent calls (`max_parallel`). A call that waits for a person or another call releases its
//! permit meanwhile.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::future::BoxFuture;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};

use super::super::opaque::WeakOpaque;
use super::RunContext;
use crate::context::{Extra, ToolContext};
use onionskin_definitions::lock::lock;
use onionskin_definitions::on_drop::OnDrop;

/// A permit for one of the concurrent calls.
pub struct Permit {
    semaphore: Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
}

impl Permit {
    /// Waits for a permit; `None` if the run has ended.
    pub async fn acquire(semaphore: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(semaphore).acquire_owned().await.ok()?;
        Some(Self { semaphore: Arc::clone(semaphore), permit })
    }
}

/// The permit of one call, which the call can release for a while.
#[derive(Default)]
pub(in crate::context) struct CallPermit {
    held: Mutex<Held>,
    /// Serialises the tasks that reacquire the permit, so that it is acquired once.
    taking: AsyncMutex<()>,
}

#[derive(Default)]
struct Held {
    permit: Option<Permit>,
    /// The semaphore of the released permit.
    released: Option<Arc<Semaphore>>,
    /// Counts the call as waiting.
    waits: Option<Waits>,
}

impl CallPermit {
    fn held(&self) -> MutexGuard<'_, Held> {
        lock(&self.held)
    }

    /// Releases the permit, if the call holds it.
    fn release(&self, run: &RunContext) {
        let mut held = self.held();
        if let Some(Permit { semaphore, permit }) = held.permit.take() {
            held.released = Some(semaphore);
            drop(permit);
        }
        if held.waits.is_none() {
            held.waits = run.begun_by().map(Waits::new);
        }
    }

    /// Continues the call, with or without its permit.
    fn stop_waiting(&self) {
        let waits = self.held().waits.take();
        drop(waits);
    }

    /// Waits until this call and all the calls of parent runs hold their permits again.
    ///
    /// Cancel safety: the next call of this method acquires the permits that are still missing.
    fn reacquire<'a>(&'a self, run: &'a RunContext) -> BoxFuture<'a, ()> {
        self.stop_waiting();
        Box::pin(async move {
            let _one = self.taking.lock().await;
            if let Some(above) = run.begun_by() {
                above.wait_for_permit().await;
            }
            let semaphore = self.held().released.clone();
            if let Some(semaphore) = semaphore {
                let permit = Permit::acquire(&semaphore).await;
                let mut held = self.held();
                held.permit = permit;
                held.released = None;
            }
        })
    }
}

/// The parent's call that started a run. While all calls of the run wait, it releases its own permit.
pub struct BegunBy {
    pub(super) run: RunContext,
    /// Dropped when the call ends.
    call: WeakOpaque<Extra>,
    calls: Mutex<Calls>,
}

/// The calls of the run.
#[derive(Default)]
struct Calls {
    all: usize,
    waiting: usize,
    /// Whether the parent's call released its permit.
    away: bool,
}

impl BegunBy {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        lock(&self.calls)
    }

    /// Changes the counters of calls.
    fn count(&self, change: impl FnOnce(&mut Calls)) {
        let mut calls = self.calls();
        change(&mut calls);
        if calls.waiting > 0
            && calls.waiting == calls.all
            && let Some(call) = self.call.upgrade()
        {
            calls.away = true;
            // This happens under the lock, so that a later change reacquires the permit. Locks are taken from
            // the inner run to the outer one.
            call.permit.release(&self.run);
        }
    }

    /// Records that work of a call of the run outlives the call.
    pub fn runs_on(&self) {
        if let Some(call) = self.call.upgrade() {
            lock(&call.data).runs_on = true;
        }
    }

    /// Starts a call of the run, after the parent's call holds its permit.
    ///
    /// Cancel safety: dropping the future starts no call.
    pub async fn begin(&self) -> OnDrop<impl FnMut() + '_> {
        self.count(|calls| calls.all += 1);
        let begun = OnDrop(|| self.count(|calls| calls.all -= 1));
        self.wait_for_permit().await;
        begun
    }

    /// Waits until the parent's call holds its permit again.
    async fn wait_for_permit(&self) {
        if !self.calls().away {
            return;
        }
        if let Some(call) = self.call.upgrade() {
            call.permit.reacquire(&self.run).await;
        }
        self.calls().away = false;
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Marks the run as running. When the value is dropped, the parent's call no longer counts as waiting.
    pub fn running(&self) -> OnDrop<impl FnMut() + '_> {
        OnDrop(|| {
            if let Some(call) = self.begun_by().and_then(|by| by.call.upgrade()) {
                call.permit.stop_waiting();
            }
        })
    }
}

/// A waiting call.
struct Waits(Arc<BegunBy>);

impl Waits {
    fn new(by: &Arc<BegunBy>) -> Self {
        by.count(|calls| calls.waiting += 1);
        Self(Arc::clone(by))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.count(|calls| calls.waiting -= 1);
    }
}

impl ToolContext {
    /// Waits for another call of the run, a person or another program, so that the call does not count for `max_parallel`
    /// meanwhile. Afterwards it waits until it counts again. A hook that waits for another call must wait in this way: with
    /// `max_parallel: 1`, that call would otherwise never run.
    ///
    /// Cancel safety: that of `wait`.
    pub async fn without_permit<T>(&self, wait: impl Future<Output = T>) -> T {
        let extra = self.extra();
        extra.permit.release(self.run());
        let _waiting = OnDrop(|| extra.permit.stop_waiting());
        let done = wait.await;
        extra.permit.reacquire(self.run()).await;
        done
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Gives the call its permit.
    pub fn hold_permit(&self, permit: Permit) {
        self.extra().permit.held().permit = Some(permit);
    }

    /// Makes this call the parent of a run.
    pub fn begins(&self) -> Arc<BegunBy> {
        Arc::new(BegunBy { run: self.run().clone(), call: self.extra().downgrade(), calls: Mutex::default() })
    }
}
