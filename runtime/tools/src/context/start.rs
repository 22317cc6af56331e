//! The start of a call's tool: counted, limited by `max_calls`, and refused for a call in doubt, whose tool an earlier run
//! started and recorded no result of.

use std::convert::Infallible;
use std::mem::{replace, take};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;

use super::{Data, ToolContext, timed};
use crate::approval::Resolution;
use crate::budget::Need;
use crate::journal::{InDoubt, StepId, StepKind};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Effect, ToolSource, refused_by};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::output::ToolOutput;

/// Starts of a call's tool beyond the attempts that the core counts.
#[derive(Clone, Copy, Default)]
pub(super) struct Starts {
    /// Second and later starts of one attempt, by hooks that were added to the tool value.
    repeated: u32,
    /// Starts by added hooks in the current attempt.
    in_attempt: u32,
    /// Starts inside the tool's declared hooks and stages.
    inside_declared: u32,
    /// Starts of the function, if the core does not start it.
    of_function: u32,
    /// Starts that did not run the function, for example because of invalid arguments, or because no thread was free.
    refused: u32,
}

impl ToolContext {
    /// The number of starts of the tool itself for this call. It is 0 before the first start, and stays 0 if
    /// a hook, a guardrail, a cache or an approver answered or refused the call, if the arguments were
    /// invalid, or if a blocking tool got no thread in time.
    pub fn attempt(&self) -> u32 {
        let attempt = self.attempt.load(Ordering::Relaxed);
        let starts_inside = self.entry().starts_inside;
        let starts = self.data_if_any(|data| data.starts).unwrap_or_default();
        let started = if starts_inside { starts.of_function } else { attempt };
        started.saturating_sub(starts.refused)
    }

    pub(crate) fn start_attempt(&self) {
        self.attempt.fetch_add(1, Ordering::Relaxed);
        self.note_start();
    }

    /// Starts an attempt of a tool value with its own hooks.
    pub(crate) fn start_behind_hooks(&self) {
        self.data(|data| data.starts.in_attempt = 0);
    }

    /// Counts a start of the tool by its value's own hooks. The first start of an attempt is counted where
    /// the attempt starts, because repeats by a tool's own hooks are one step of the run.
    pub(crate) fn start_by_hooks(&self) {
        self.data(|Data { starts, .. }| {
            starts.repeated += u32::from(starts.in_attempt > 0);
            starts.in_attempt += 1;
        });
    }

    /// Counts a start of the tool inside its declared hooks and stages.
    pub(crate) fn start_inside(&self) {
        self.data(|data| data.starts.inside_declared += 1);
    }

    /// Runs the tool's function, with its `timeout`, after hooks, approval, cache and guardrails. `tool` is
    /// the tool's own name. A function with the effect `Once` does not run if an earlier run left it in
    /// doubt.
    pub(crate) async fn start<F>(&self, tool: &str, call: F) -> ToolResult
    where
        F: Future<Output = ToolResult> + Send,
    {
        if self.entry().starts_inside {
            self.data(|data| data.starts.of_function += 1);
        }
        self.note_start();
        let reserved = match self.admit() {
            // Boxed, so that runs without budgets have no room for it.
            Ok(()) if self.is_budgeted() => Box::pin(self.run().reserve_call()).await.map_err(Exit::Tool),
            Ok(()) => Ok(None),
            Err(exit) => Err(exit),
        };
        let (mut held, begun) = match reserved {
            Ok(held) => (held, self.begin().await),
            Err(exit) => (None, Err(exit)),
        };
        let is_started = matches!(begun, Ok(None));
        let mut result = match begun {
            Ok(None) => {
                if let Some(held) = &mut held {
                    held.begin();
                }
                let _started = self.enter_function();
                timed(self, call).await
            }
            Ok(Some(output)) => {
                self.discount_start();
                Ok(output)
            }
            Err(exit) => {
                self.discount_start();
                Err(exit)
            }
        };
        if let Some(held) = held {
            let is_refused = result.as_ref().is_err_and(|exit| refused_by(tool, exit).is_some());
            if is_started && !is_refused {
                Box::pin(held.finish(Need::Call)).await;
            } else {
                Box::pin(held.release()).await;
            }
        }
        if let Err(exit) = &result {
            self.note_refused(tool, exit);
        }
        self.note_end(&mut result);
        result
    }

    /// Whether the start counts in budgets. A child agent spends by its own requests and calls.
    fn is_budgeted(&self) -> bool {
        !self.run().shared_budgets().is_empty() && self.source() != ToolSource::Agent
    }

    /// Refuses the call if `max_calls` calls of its tool have started in the run. A call counts once, also if
    /// it starts several times.
    fn admit(&self) -> ToolResult<()> {
        let Some(most) = self.definition().max_calls else { return Ok(()) };
        if self.data(|data| replace(&mut data.is_admitted, true)) {
            return Ok(());
        }
        if self.run().admit(self.tool_name(), most) {
            return Ok(());
        }
        self.data(|data| data.is_admitted = false);
        Err(Exit::Tool(ToolError::new(self.over_limit(most)).with_kind(ErrorKind::Limit)))
    }

    fn over_limit(&self, most: u32) -> String {
        let times = if most == 1 { "once".to_owned() } else { format!("{most} times") };
        format!("`{}` may be called {times} in one run; it did not run", self.tool_name())
    }

    /// Why the call would not be admitted if it started now.
    pub(super) fn not_admitted(&self) -> Option<String> {
        let most = self.definition().max_calls?;
        let is_refused = !self.data(|data| data.is_admitted) && self.run().started(self.tool_name()) >= most;
        is_refused.then(|| self.over_limit(most))
    }

    /// Records that a function did not run because of invalid arguments.
    pub(crate) fn note_refused(&self, tool: &str, exit: &Exit) {
        if refused_by(tool, exit).is_some() {
            self.discount_start();
        }
    }

    /// Takes back the count of a start that did not run the function.
    #[cold]
    pub(super) fn discount_start(&self) {
        self.data(|data| data.starts.refused += 1);
        // A call without a start does not count.
        if self.attempt() == 0 && self.data(|data| take(&mut data.is_admitted)) {
            self.run().uncount(self.tool_name());
        }
    }

    /// Restores the counts for an attempt that a journal answered.
    pub(crate) fn recall_starts(&self, starts: u32) {
        if starts > 0
            && self.definition().max_calls.is_some()
            && !self.data(|data| replace(&mut data.is_admitted, true))
        {
            self.run().admit(self.tool_name(), u32::MAX);
        }
        if self.entry().starts_inside {
            self.data(|data| data.starts.of_function += starts);
        } else if starts == 0 {
            self.discount_start();
        }
    }

    /// Keeps the arguments of an attempt and their hash, for a person who has to resolve a call in doubt.
    pub(crate) fn keep_attempt_args(&self, args: &Args, hash: &str) {
        if self.is_once() || self.may_ask() {
            let attempt_args = Some((args.clone(), hash.to_owned()));
            self.data(|data| data.attempt_args = attempt_args);
        }
    }

    /// Notes that the call is in doubt. Later attempts do not run, even if a hook retries.
    pub(crate) fn note_doubt(&self, exit: &Exit) {
        if exit.as_tool_error().is_some_and(|error| error.kind() == ErrorKind::InDoubt) {
            self.data(|data| data.in_doubt = true);
        }
    }

    /// Whether the tool must not run twice. An agent runs again, because the steps of its run are recorded
    /// one by one.
    pub(super) fn is_once(&self) -> bool {
        self.definition().effect == Effect::Once && self.source() != ToolSource::Agent
    }

    /// Records the start of a function with the effect `Once`. If the start is recorded already without a
    /// result, the function may have taken effect, so the approver decides. Returns the result if it took
    /// effect.
    pub(super) async fn begin(&self) -> ToolResult<Option<ToolOutput>> {
        if self.run().journal().is_none() || !self.is_once() {
            return Ok(None);
        }
        let doubt = InDoubt { tool: self.tool_name().to_owned(), run_id: self.run().run_id().to_owned() };
        let in_doubt = |doubt| Err(Exit::Tool(ToolError::from_source(doubt).with_kind(ErrorKind::InDoubt)));
        if self.data_if_any(|data| data.in_doubt).unwrap_or(false) {
            return in_doubt(doubt);
        }
        let attempt_args = self.data(|data| data.attempt_args.clone());
        let hash = attempt_args.as_ref().map(|(_, hash)| hash.clone()).unwrap_or_default();
        let is_first = AtomicBool::new(false);
        let id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Begin) };
        let begun = async || {
            is_first.store(true, Ordering::Relaxed);
            if let Some(questions) = self.run().questions() {
                questions.note_acted();
            }
            Ok::<_, Infallible>(true)
        };
        let Ok(_) = self.run().step(id, || (Effect::Once, hash), begun).await;
        self.begin_segments();
        if is_first.load(Ordering::Relaxed) || self.was_waiting().await {
            return Ok(None);
        }
        match self.resolution(&doubt, attempt_args.as_ref().map(|(args, _)| args)).await {
            Resolution::RunAgain => Ok(None),
            Resolution::TookEffect(output) => Ok(Some(output)),
            Resolution::Unknown => {
                self.data(|data| data.in_doubt = true);
                in_doubt(doubt)
            }
        }
    }

    async fn resolution(&self, doubt: &InDoubt, args: Option<&Args>) -> Resolution {
        let (Some(approver), Some(args)) = (self.run().approver(), args) else {
            return Resolution::Unknown;
        };
        let request = self.approval_request(args, Some(doubt.to_string()));
        // Catches a panic of the method itself, and of its future.
        let resolved = AssertUnwindSafe(async { approver.resolve_dyn(request).await }).catch_unwind();
        // Other calls can run while a person decides.
        self.without_permit(resolved).await.unwrap_or_else(|_| {
            tracing::error!(tool = self.tool_name(), "the approver panicked, so the call stays in doubt");
            Resolution::Unknown
        })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// How often the call reached the tool with its declared hooks and stages. The number is the same in a replay,
    /// whatever the journal answered.
    pub fn tries(&self) -> u32 {
        let attempt = self.attempt.load(Ordering::Relaxed);
        let starts = self.data_if_any(|data| data.starts).unwrap_or_default();
        (attempt + starts.repeated).max(starts.inside_declared)
    }
}
