//! The permits of concurrent calls (`max_parallel`). A call that waits for another party frees its permit meanwhile.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::future::BoxFuture;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};

use super::run::{BegunBy, Calls};
use super::{RunContext, ToolContext};
use onionskin_definitions::lock::lock;

/// One of the permits for concurrent calls.
pub struct Permit {
    semaphore: Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
}

impl Permit {
    /// Waits for a permit; `None` if the run is gone.
    pub async fn of(semaphore: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(semaphore).acquire_owned().await.ok()?;
        Some(Self { semaphore: Arc::clone(semaphore), permit })
    }
}

/// The permit of one call. The call can free it for a while.
#[derive(Default)]
pub(super) struct CallPermit {
    held: Mutex<Held>,
    /// Serialises the tasks that take the permit again: it is taken once.
    taking: AsyncMutex<()>,
}

#[derive(Default)]
struct Held {
    permit: Option<Permit>,
    /// The semaphore of the freed permit, to take a permit again.
    given_back: Option<Arc<Semaphore>>,
    /// Counts the call as waiting.
    waits: Option<Waits>,
}

impl CallPermit {
    fn held(&self) -> MutexGuard<'_, Held> {
        lock(&self.held)
    }

    /// Frees the permit. A second call in a row does nothing.
    fn give_back(&self, run: &RunContext) {
        let mut held = self.held();
        if let Some(Permit { semaphore, permit }) = held.permit.take() {
            held.given_back = Some(semaphore);
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

    /// Waits until the call and all calls above it have their permits again.
    ///
    /// Cancel safety: permits that were not taken yet are taken by the next call of this method.
    fn take_back<'a>(&'a self, run: &'a RunContext) -> BoxFuture<'a, ()> {
        self.stop_waiting();
        Box::pin(async move {
            let _one = self.taking.lock().await;
            if let Some(above) = run.begun_by() {
                above.go_on().await;
            }
            let semaphore = self.held().given_back.clone();
            if let Some(semaphore) = semaphore {
                let permit = Permit::of(&semaphore).await;
                let mut held = self.held();
                held.permit = permit;
                held.given_back = None;
            }
        })
    }
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
            // Done under the lock, so that a later change takes the permit again. Locks are taken from the inner run to
            // the outer one.
            call.permit.give_back(&self.run);
        }
    }

    /// Records that work of one of the run's calls continues after the call.
    pub fn runs_on(&self) {
        if let Some(call) = self.call.upgrade() {
            lock(&call.data).runs_on = true;
        }
    }

    /// Begins a call of the run, after the call above has its permit.
    ///
    /// Cancel safety: dropping the future begins no call.
    pub async fn begin(self: &Arc<Self>) -> Begun {
        self.count(|calls| calls.all += 1);
        let begun = Begun(Arc::clone(self));
        self.go_on().await;
        begun
    }

    /// Waits until the call above has its permit again.
    async fn go_on(&self) {
        if !self.calls().away {
            return;
        }
        if let Some(call) = self.call.upgrade() {
            call.permit.take_back(&self.run).await;
        }
        self.calls().away = false;
    }
}

/// A run in progress. When it ends or is dropped, the call that began it continues, with or without its permit.
pub struct Running<'r>(&'r RunContext);

impl<'r> Running<'r> {
    /// Code of this run runs until the value is dropped.
    pub fn new(run: &'r RunContext) -> Self {
        Self(run)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(call) = self.0.begun_by().and_then(|by| by.call.upgrade()) {
            call.permit.stop_waiting();
        }
    }
}

/// A call that has begun.
pub struct Begun(Arc<BegunBy>);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.count(|calls| calls.all -= 1);
    }
}

/// A call that waits for another party.
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
    /// Waits for another party without a permit, so that other calls can run meanwhile.
    pub(crate) async fn without_permit<T>(&self, wait: impl Future<Output = T>) -> T {
        let extra = self.extra();
        extra.permit.give_back(self.run());
        let _waiting = Waiting(&extra.permit);
        let done = wait.await;
        extra.permit.take_back(self.run()).await;
        done
    }
}

/// Ends a wait, also one that is dropped half way.
struct Waiting<'p>(&'p CallPermit);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.stop_waiting();
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Gives the call its permit.
    pub fn hold_permit(&self, permit: Permit) {
        self.extra().permit.held().permit = Some(permit);
    }

    /// This call as the one that begins a run.
    pub fn begins(&self) -> Arc<BegunBy> {
        Arc::new(BegunBy {
            run: self.run().clone(),
            call: Arc::downgrade(self.extra()),
            calls: Mutex::default(),
        })
    }
}
