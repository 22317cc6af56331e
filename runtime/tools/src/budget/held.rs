//! What a request or a call in progress reserved, and how it is replaced by what was spent.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin_definitions::lock::lock;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::amounts::{Amounts, Resource};
use super::declared::{Budget, micros};
use super::error::BudgetError;
use super::store::{BudgetStore, Reserved, Spending};
use crate::model::{UnpricedModel, Usage};

/// What a request or a call uses.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// Tokens of a model.
    Request(&'a str, Usage),
    /// A start of a tool.
    Call,
}

impl Need<'_> {
    /// The amounts that the budget limits.
    fn amounts(self, budget: &Budget, time: Duration) -> Result<Amounts, BudgetError> {
        let (usage, calls, mut money) = match self {
            Need::Call => (Usage::default(), 1, 0),
            Need::Request(_, usage) => (usage, 0, 0),
        };
        if let (Need::Request(model, usage), Some(prices)) = (self, budget.prices()) {
            let cost = prices.cost(model, &usage).ok_or_else(|| BudgetError::Unpriced {
                budget: Arc::clone(budget.shared_name()),
                source: UnpricedModel { model: model.into() },
            })?;
            money = u64::try_from(cost.micros()).unwrap_or(u64::MAX);
        }
        Ok(Amounts::from_fn(|resource| match (budget.max(resource), resource) {
            (None, _) => 0,
            (Some(_), Resource::Tokens) => usage.total(),
            (Some(_), Resource::Money) => money,
            (Some(_), Resource::Calls) => calls,
            (Some(_), Resource::Time) => micros(time),
        }))
    }

    /// What to reserve. A request can cost more than nothing, also if it is so small that its estimate does not.
    pub(super) fn estimate(self, budget: &Budget) -> Result<Amounts, BudgetError> {
        let amounts = self.amounts(budget, RESERVED_TIME)?;
        let least = match self {
            Need::Request(..) if budget.max(Resource::Money).is_some() => 1,
            Need::Request(..) | Need::Call => 0,
        };
        Ok(Amounts { money: amounts.money.max(least), ..amounts })
    }
}

/// The time that is reserved. Nobody knows how long a request will take.
const RESERVED_TIME: Duration = Duration::from_micros(1);

/// Items by store.
pub(super) type ByStore<T> = Vec<(Arc<dyn BudgetStore>, Vec<T>)>;

/// Adds an item to those of its store.
pub(super) fn push_for<T>(by_store: &mut ByStore<T>, store: &Arc<dyn BudgetStore>, item: T) {
    match by_store.iter_mut().find(|(known, _)| known.identity() == store.identity()) {
        Some((_, items)) => items.push(item),
        None => by_store.push((Arc::clone(store), vec![item])),
    }
}

/// What was spent, by store.
type Spendings = ByStore<Spending>;

/// What happened at the end of requests and calls, until the next reservation of the run or its end.
#[derive(Default)]
pub(super) struct Ended(Mutex<End>);

#[derive(Default)]
struct End {
    /// What dropped requests and calls spent.
    spent: Spendings,
    /// Why the result of a request or a call could not be counted.
    error: Option<BudgetError>,
}

impl Ended {
    /// Writes what was spent.
    ///
    /// # Errors
    /// Returns the first error since the last call.
    pub(super) async fn write(&self) -> Result<(), BudgetError> {
        let End { spent, error } = std::mem::take(&mut *lock(&self.0));
        let written = if spent.is_empty() { Ok(()) } else { Settling::new(spent).await };
        error.map_or(written, Err)
    }

    fn fail(&self, error: BudgetError) {
        lock(&self.0).error.get_or_insert(error);
    }
}

impl Drop for Ended {
    /// The run was dropped.
    fn drop(&mut self) {
        let spent = std::mem::take(&mut lock(&self.0).spent);
        if !spent.is_empty() {
            drop(Settling::new(spent));
        }
    }
}

/// What a request or a call in progress reserved. If it is dropped, the reservation stays spent, or what was reported if that
/// is more. This and the time are written before the next reservation of the run.
#[must_use = "a dropped reservation stays spent"]
pub struct Held {
    ended: Arc<Ended>,
    /// `None` before the work begins.
    began: Option<Instant>,
    reserved: Vec<(Arc<Budget>, Arc<dyn BudgetStore>, Reserved)>,
    reported: Option<(Arc<str>, Usage)>,
}

impl Held {
    pub(super) fn new(ended: Arc<Ended>) -> Self {
        Self { ended, began: None, reserved: Vec::new(), reported: None }
    }

    pub(super) fn add(&mut self, budget: Arc<Budget>, store: Arc<dyn BudgetStore>, reserved: Reserved) {
        self.reserved.push((budget, store, reserved));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reserved.is_empty()
    }

    /// Starts the clock.
    pub fn begin(&mut self) {
        self.began = Some(Instant::now());
    }

    /// Notes the tokens that the model has reported so far.
    pub fn report(&mut self, model: &Arc<str>, usage: Usage) {
        self.reported = Some((Arc::clone(model), usage));
    }

    /// Replaces the reservation by what was used. After an error of a store, or if the model that answered has no price, the
    /// reservation stays spent, and [`Budgets::write_ended`](super::Budgets::write_ended) returns the error: the run ends
    /// after the result is recorded.
    ///
    /// Cancel safety: when the future is dropped, the rest is written in the background.
    pub async fn finish(mut self, used: Need<'_>) {
        let (time, mut unpriced) = (self.time(), None);
        let spendings = self.spendings(|budget, reserved| {
            used.amounts(budget, time).unwrap_or_else(|error| {
                unpriced = Some(error);
                reserved
            })
        });
        if let Some(error) = unpriced {
            self.ended.fail(error);
        }
        self.resolve(spendings).await;
    }

    /// Leaves the reservation spent, or what was reported if that is more.
    ///
    /// Cancel safety: as [`Self::finish`].
    pub async fn finish_unknown(mut self) {
        let spendings = self.at_least();
        self.resolve(spendings).await;
    }

    /// Gives the reservation back: nothing was used.
    ///
    /// Cancel safety: as [`Self::finish`].
    pub async fn release(mut self) {
        let spendings = self.spendings(|_, _| Amounts::default());
        self.resolve(spendings).await;
    }

    async fn resolve(&self, spendings: Spendings) {
        if let Err(error) = Settling::new(spendings).await {
            self.ended.fail(error);
        }
    }

    fn time(&self) -> Duration {
        self.began.map(|began| began.elapsed()).unwrap_or_default()
    }

    fn at_least(&mut self) -> Spendings {
        let (time, reported) = (self.time(), self.reported.take());
        self.spendings(|budget, reserved| {
            let time_used = if reserved.time == 0 { 0 } else { micros(time).max(reserved.time) };
            let least = Amounts { time: time_used, ..reserved };
            let used =
                reported.as_ref().map(|(model, usage)| Need::Request(model, *usage).amounts(budget, time));
            match used {
                Some(Ok(used)) => Amounts::from_fn(|resource| least.get(resource).max(used.get(resource))),
                Some(Err(_)) | None => least,
            }
        })
    }

    /// Takes the reservations. `actual` returns what was spent in place of each of them.
    fn spendings(&mut self, mut actual: impl FnMut(&Budget, Amounts) -> Amounts) -> Spendings {
        let mut by_store = Spendings::new();
        for (budget, store, reserved) in std::mem::take(&mut self.reserved) {
            let actual = actual(&budget, reserved.amounts);
            push_for(&mut by_store, &store, Spending { reserved, actual });
        }
        by_store
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let spendings = self.at_least();
        lock(&self.ended.0).spent.extend(spendings);
    }
}

/// Writes what was spent. If it is dropped before its end, the runtime goes on with it: to write again could count twice.
struct Settling(Option<BoxFuture<'static, Result<(), BudgetError>>>);

impl Settling {
    fn new(spendings: Spendings) -> Self {
        Self(Some(Box::pin(write(spendings))))
    }
}

impl Future for Settling {
    type Output = Result<(), BudgetError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(rest) = &mut self.0 else { return Poll::Ready(Ok(())) };
        let written = ready!(rest.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(written)
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        if let (Some(rest), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async {
                if let Err(error) = rest.await {
                    tracing::error!(%error, "what a dropped run spent was not written");
                }
            });
        }
    }
}

/// Writes to all stores. Returns the first error.
async fn write(spendings: Spendings) -> Result<(), BudgetError> {
    let mut written = Ok(());
    for (store, spendings) in spendings {
        written = written.and(store.finish(&spendings).await);
    }
    written
}
