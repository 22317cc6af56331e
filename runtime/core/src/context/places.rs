//! The places of calls that run at once (`max_parallel`). A call that waits for somebody else gives its place back meanwhile.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future::BoxFuture;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};

use super::{Rare, RunContext, ToolContext};

/// One of the places for calls that run at once.
pub(crate) struct Slot {
    places: Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
}

impl Slot {
    /// Waits for a place; none if there are no more, because the run is gone.
    pub(crate) async fn of(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).acquire_owned().await.ok()?;
        Some(Self { places: Arc::clone(places), permit })
    }
}

/// The place of one call: held, or given back for a while.
#[derive(Default)]
pub(super) struct CallPlace {
    held: Mutex<Held>,
    /// The place is taken again once, however many wait for that.
    taking: AsyncMutex<()>,
}

#[derive(Default)]
struct Held {
    slot: Option<Slot>,
    /// Where the place is taken again that was given back.
    given_back: Option<Arc<Semaphore>>,
    /// The call counts as one that waits.
    waits: Option<Waits>,
}

impl CallPlace {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the place back. The second time in a row it does nothing.
    fn give_back(&self, run: &RunContext) {
        let mut held = self.held();
        if let Some(Slot { places, permit }) = held.slot.take() {
            held.given_back = Some(places);
            drop(permit);
        }
        if held.waits.is_none() {
            held.waits = run.begun_by().map(Waits::new);
        }
    }

    /// The call goes on, with or without its place.
    fn stop_waiting(&self) {
        let waits = self.held().waits.take();
        drop(waits);
    }

    /// Waits until the call has its place again, and those above it have theirs.
    ///
    /// Cancel safety: what was not taken yet is taken the next time.
    fn take_back<'a>(&'a self, run: &'a RunContext) -> BoxFuture<'a, ()> {
        self.stop_waiting();
        Box::pin(async move {
            let _one = self.taking.lock().await;
            if let Some(above) = run.begun_by() {
                above.go_on().await;
            }
            let places = self.held().given_back.clone();
            if let Some(places) = places {
                let slot = Slot::of(&places).await;
                let mut held = self.held();
                held.slot = slot;
                held.given_back = None;
            }
        })
    }
}

/// The call that began a run. While all calls of the run wait for somebody else, so does this call: it gives its own place back.
pub(crate) struct BegunBy {
    run: RunContext,
    /// Gone when the call is over.
    call: Weak<Rare>,
    calls: Mutex<Calls>,
}

/// The calls of the run that was begun.
#[derive(Default)]
struct Calls {
    all: usize,
    waiting: usize,
    /// Whether the call above gave its place back.
    away: bool,
}

impl BegunBy {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the numbers of calls.
    fn count(&self, change: impl FnOnce(&mut Calls)) {
        let mut calls = self.calls();
        change(&mut calls);
        if calls.waiting > 0
            && calls.waiting == calls.all
            && let Some(call) = self.call.upgrade()
        {
            calls.away = true;
            // Under the lock: what takes the place again comes after this. Locks are taken from the inner run to the outer one.
            call.place.give_back(&self.run);
        }
    }

    /// The run that the call belongs to.
    pub(super) fn run(&self) -> &RunContext {
        &self.run
    }

    /// Notes that work of a call of the run goes on after the call.
    pub(crate) fn runs_on(&self) {
        if let Some(call) = self.call.upgrade() {
            call.runs_on.store(true, Ordering::Relaxed);
        }
    }

    /// Begins a call of the run, when the call above has its place.
    ///
    /// Cancel safety: dropping it begins none.
    pub(crate) async fn begin(self: &Arc<Self>) -> Begun {
        self.count(|calls| calls.all += 1);
        let begun = Begun(Arc::clone(self));
        self.go_on().await;
        begun
    }

    /// Waits until the call above has its place again.
    async fn go_on(&self) {
        if !self.calls().away {
            return;
        }
        if let Some(call) = self.call.upgrade() {
            call.place.take_back(&self.run).await;
        }
        self.calls().away = false;
    }
}

/// A run that goes on. When it ends or is dropped, the call that began it goes on, with or without its place.
pub(crate) struct Running<'r>(&'r RunContext);

impl<'r> Running<'r> {
    pub(crate) fn new(run: &'r RunContext) -> Self {
        Self(run)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(call) = self.0.begun_by().and_then(|by| by.call.upgrade()) {
            call.place.stop_waiting();
        }
    }
}

/// A call that has begun.
pub(crate) struct Begun(Arc<BegunBy>);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.count(|calls| calls.all -= 1);
    }
}

/// A call that waits for somebody else.
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
    /// Has the call hold its place.
    pub(crate) fn hold_slot(&self, slot: Option<Slot>) {
        if slot.is_some() {
            self.rare().place.held().slot = slot;
        }
    }

    /// Waits for somebody else without a place, so that others can run meanwhile.
    pub(crate) async fn without_slot<T>(&self, wait: impl Future<Output = T>) -> T {
        let rare = self.rare();
        rare.place.give_back(self.run());
        let _waiting = Waiting(&rare.place);
        let done = wait.await;
        rare.place.take_back(self.run()).await;
        done
    }

    /// This call, as what begins a run.
    pub(crate) fn begins(&self) -> Arc<BegunBy> {
        Arc::new(BegunBy {
            run: self.run().clone(),
            call: Arc::downgrade(&self.rare()),
            calls: Mutex::default(),
        })
    }
}

/// Ends a wait, also one that is dropped half way.
struct Waiting<'p>(&'p CallPlace);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.stop_waiting();
    }
}
