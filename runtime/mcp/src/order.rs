//! The order of the calls that one run makes of one server.
//!
//! Many servers read a file, change it and write it back. Of two such calls at once, one loses its effect, and both say that all went well. So a
//! call that may change something runs alone among the calls of its run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use onionskin_core::Effect;
use tokio::sync::RwLock;

use crate::mutex::lock;

/// The runs that call the server now, by their ids, which child runs share. Other runs do not wait: a server that many users share would
/// serve one of them at a time, and slow tools are the rule.
#[derive(Default)]
pub(super) struct Order(Mutex<HashMap<Arc<str>, Arc<RwLock<()>>>>);

impl Order {
    /// Makes a call when the calls before it are done. A call of a tool that only reads runs beside others that only read. The lock is fair, so calls
    /// start in the order in which they come here.
    ///
    /// Cancel safety: dropping the future, while it waits or while the call runs, lets the next call go on.
    pub(super) async fn run<T>(&self, run: &str, effect: Effect, call: impl Future<Output = T>) -> T {
        let place = Place::new(self, run);
        let (_beside, _alone) = if effect == Effect::Pure {
            (Some(place.lock.read().await), None)
        } else {
            (None, Some(place.lock.write().await))
        };
        call.await
    }
}

/// The position of a call among the calls of its run. The last call removes the run.
struct Place<'o> {
    order: &'o Order,
    run: Arc<str>,
    lock: Arc<RwLock<()>>,
}

impl<'o> Place<'o> {
    fn new(order: &'o Order, run: &str) -> Self {
        let run = Arc::from(run);
        let of_run = Arc::clone(lock(&order.0).entry(Arc::clone(&run)).or_default());
        Self { order, run, lock: of_run }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut runs = lock(&self.order.0);
        // Places are made under the same lock: this one and the entry are the last two.
        if Arc::strong_count(&self.lock) == 2 {
            runs.remove(&self.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a4_a_dropped_call_lets_the_next_one_go_on_and_no_run_is_kept() {
        let order = Order::default();
        let mut first = Box::pin(order.run("a", Effect::Once, pending::<()>()));
        let mut second = Box::pin(order.run("a", Effect::Once, pending::<()>()));
        let mut third = Box::pin(order.run("a", Effect::Pure, ready(3)));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none(), "a reader passes nobody who came before it");
        assert_eq!(
            order.run("b", Effect::Once, ready(1)).now_or_never(),
            Some(1),
            "another run does not wait"
        );
        assert_eq!(lock(&order.0).len(), 1);
        drop(second);
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        assert_eq!(third.as_mut().now_or_never(), Some(3));
        drop(third);
        assert!(lock(&order.0).is_empty());
    }

    #[tokio::test]
    async fn a4_readers_run_side_by_side() {
        let order = Order::default();
        let mut reads = [(); 2].map(|()| Box::pin(order.run("a", Effect::Pure, pending::<()>())));
        for read in &mut reads {
            assert!(read.as_mut().now_or_never().is_none());
        }
        assert_eq!(order.run("a", Effect::Pure, ready(1)).now_or_never(), Some(1));
        for effect in [Effect::Idempotent, Effect::Once, Effect::Unstated] {
            assert_eq!(order.run("a", effect, ready(1)).now_or_never(), None, "{effect:?}");
        }
    }
}
