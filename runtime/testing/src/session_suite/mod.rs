//! A test suite for any store of sessions.

mod deletion;
mod leases;
mod lists;
mod logs;
mod probe;
mod random;

use std::sync::Arc;

use self::probe::{Check, Probe};
use crate::report::{CaseOutcome, SuiteReport, case_outcome};
use onionskin_tools::session_store::SessionStore;

/// Tests a store of sessions with everything that [`SessionStore`] promises: logs, leases, lists, searches,
/// deletion, parallel writers, and a random sequence of calls, each beside the same call of
/// [`MemorySessions`](onionskin_tools::session_store::MemorySessions).
///
/// `make` creates an empty store. It is called once per case. The report names each failed case.
///
/// A case takes at most 20 seconds, and then fails. It needs a tokio runtime with timers, which must not be paused:
/// leases end by the time of the store.
///
/// Cancel safety: dropping the future ends the case in progress. The tasks of its parallel writers end with it.
///
/// ```
/// use onionskin::sessions::MemorySessions;
/// use onionskin::testing::session_suite;
///
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// session_suite(|| async { MemorySessions::default() }).await.assert_passed();
/// # });
/// ```
pub async fn session_suite<S, F, Fut>(make: F) -> SuiteReport
where
    S: SessionStore,
    F: Fn() -> Fut,
    Fut: Future<Output = S>,
{
    let mut suite = Suite { make, cases: Vec::new() };
    suite.case("no_session", logs::no_session).await;
    suite.case("order", logs::order).await;
    suite.case("all_changes", logs::all_changes).await;
    suite.case("large_record", logs::large_record).await;
    suite.case("many_records", logs::many_records).await;
    suite.case("changed", logs::changed).await;
    suite.case("ids", logs::ids).await;
    suite.case("parallel_sessions", logs::parallel_sessions).await;
    suite.case("parallel_writers", logs::parallel_writers).await;
    suite.case("cancellation", logs::cancellation).await;
    suite.case("lease", leases::lease).await;
    suite.case("lease_without_records", leases::without_records).await;
    suite.case("lease_end", leases::end).await;
    suite.case("lease_renewal", leases::renewal).await;
    suite.case("parallel_leases", leases::parallel).await;
    suite.case("list", lists::list).await;
    suite.case("users", lists::users).await;
    suite.case("times", lists::times).await;
    suite.case("pages", lists::pages).await;
    suite.case("wrong_cursor", lists::wrong_cursor).await;
    suite.case("search", lists::search).await;
    suite.case("search_other_letters", lists::other_letters).await;
    suite.case("search_signs", lists::signs).await;
    suite.case("long_searches", lists::long_searches).await;
    suite.case("search_pages", lists::search_pages).await;
    suite.case("delete", deletion::session).await;
    suite.case("delete_user", deletion::user).await;
    suite.case("delete_in_progress", deletion::in_progress).await;
    suite.case("random", random::random).await;
    SuiteReport { cases: suite.cases }
}

/// What makes the stores, and the outcomes so far.
struct Suite<F> {
    make: F,
    cases: Vec<(&'static str, CaseOutcome)>,
}

impl<F> Suite<F> {
    async fn case<S, Fut>(&mut self, name: &'static str, check: impl AsyncFnOnce(Probe) -> Check)
    where
        S: SessionStore,
        F: Fn() -> Fut,
        Fut: Future<Output = S>,
    {
        let make = &self.make;
        let case = async {
            match check(Probe::new(Arc::new(make().await))).await {
                Ok(()) => CaseOutcome::Passed,
                Err(reason) => CaseOutcome::Failed(reason),
            }
        };
        self.cases.push((name, case_outcome(case).await));
    }
}
