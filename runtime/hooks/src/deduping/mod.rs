//! The hook [`dedupe`](struct@dedupe): equal calls of a run happen once.

mod calls;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onionskin_core::made::ByDefault;
use onionskin_core::run::IdempotencyKey;
use onionskin_core::{Args, ErrorKind, Exit, Hook, Inject as _, Next, ToolContext, ToolError, ToolResult};

use crate::equal::Call;
use crate::refusal::not_called;
use crate::slots::Held;
use calls::{ARRIVAL, Calls, Line, Outcome, Turn};

pub use calls::TooManyCallsError;

/// Answers a call with the result of an equal call of the same run, for models that call twice what must happen once, such as a payment. An
/// equal call that comes while the first one runs waits for it.
///
/// ```
/// use onionskin::hooks::dedupe;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// static PAYMENTS: AtomicU32 = AtomicU32::new(0);
///
/// /// Pays.
/// #[tool(effect = once)]
/// fn pay(cents: u32) -> String {
///     format!("payment {} of {cents}", PAYMENTS.fetch_add(1, Ordering::Relaxed))
/// }
///
/// agent! { Clerk { instruction: "Pay.", function_tools: [pay], tool_hooks: [dedupe for [pay]] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let pay = || ScriptedTurn::call("pay", json!({ "cents": 5 }));
/// let model = ScriptedModel::turns([pay(), pay(), ScriptedTurn::say("{last}")]);
/// assert_eq!(Clerk::builder().model(model).run("Pay 5 cents.").await.unwrap().text, "payment 0 of 5");
/// # });
/// ```
///
/// Calls are equal if the agent, the tool and the arguments are the same, in any order of the fields; [`keyed_by`](Self::keyed_by) compares
/// something else than all arguments. A run and its children are one run, for one user. States and bound values are not compared, because a call can change them itself: a tool
/// whose bound value makes another call of it needs `keyed_by`. Name the tools with a filter: a tool that tells the time would give
/// one answer in a run. It keeps up to 100,000 calls of running runs, with up to 64 MiB of arguments and results, and of one run up to an
/// eighth of both. It forgets those of ended runs when another run makes its first call, and when it needs their place.
///
/// With a journal, and when a paused run continues, the promise holds too: which of the equal calls runs is recorded, and results are answered
/// from the record. A call that an earlier process began and did not record is in doubt, as without this hook, and then no equal call runs. The
/// [id](onionskin_core::RunContext::run_id) of a run says which run it is, so two apps that share this hook must not run one id at the same time.
///
/// Errors: a call that did not start its tool, for example because it was not approved, is forgotten, and the next equal call runs. So is an
/// error of a tool with `effect = pure` or `idempotent`. Any other error is the answer to equal calls too. If it leaves in doubt whether the
/// tool took effect (a time that is over, a broken connection), or if the call was cancelled, equal calls end in an error of kind `InDoubt`
/// with an [`OutcomeUnknown`] as its source. Without a place for another call, a call ends in an error of kind `Limit`.
/// A result of more than 1 MiB is not kept: if the tool has `effect = pure` or `idempotent`, the next equal call runs, and otherwise it ends in
/// an error of kind `Withheld`.
///
/// Cancellation: a call that is dropped while it waits for an equal one leaves the line. If the first one is dropped, its outcome is not known,
/// unless its tool did not start: then the next equal call runs. If it waits for a person and the run pauses, equal calls pause with it.
///
/// Tools with `effect = once`: they are what it is for. The hook never calls a tool twice.
#[derive(Clone, Default)]
pub struct dedupe {
    calls: Arc<Calls>,
    key: Option<Arc<Key>>,
}

type Key = dyn Fn(&ToolContext, &Args) -> String + Send + Sync;

/// An equal call of the run may have taken effect, so the call was not made: the source of an error of the hook [`dedupe`](struct@dedupe).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` was not called again: an equal call of this run did not end with a result, and whether it took effect is not known. A person \
     has to find out whether it did; if it did not, another run may call it"
)]
#[non_exhaustive]
pub struct OutcomeUnknown {
    /// The tool.
    pub tool: String,
}

impl dedupe {
    /// Creates the hook. Clones share what they know.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what to compare in place of all arguments, for example the number of an invoice: calls of one tool by one agent are equal if the
    /// function returns the same text. A function that panics ends the run.
    ///
    /// ```
    /// use onionskin::hooks::dedupe;
    ///
    /// let once_for_each_invoice = dedupe::new().keyed_by(|_, args| args["invoice"].to_string());
    /// # drop(once_for_each_invoice);
    /// ```
    #[must_use]
    pub fn keyed_by(self, key: impl Fn(&ToolContext, &Args) -> String + Send + Sync + 'static) -> Self {
        Self { key: Some(Arc::new(key)), ..self }
    }

    /// What is equal in equal calls.
    fn call(&self, cx: &ToolContext, args: &Args) -> Call {
        match &self.key {
            Some(key) => Call::with_text(cx, key(cx, args)),
            None => Call::new(cx, args),
        }
    }

    /// The turn of the call to run its tool, or the answer of an equal call.
    async fn turn<'c, 'l>(&self, cx: &'c ToolContext, line: &'l Line) -> Result<First<'c, 'l>, ToolResult> {
        let mut has_waited = false;
        loop {
            let mut turn = line.turn(cx).await;
            match &turn.outcome {
                Outcome::Open => {}
                Outcome::Done(result) => return Err(result.clone()),
                Outcome::TooLong => return Err(too_long(cx)),
                Outcome::Unknown => return Err(unknown(cx)),
                Outcome::Paused => {
                    // The resumed run starts both again.
                    drop(turn);
                    cx.pause_with_others().await;
                    return Err(unknown(cx));
                }
            }
            if turn.was_dropped {
                was_dropped(cx, line, turn.number - 1, true).await;
            }
            // Equal calls of a replay may come in another order, and the one that ran has the record.
            let own = IdempotencyKey::inject(cx).map_err(Err)?.to_string();
            let is_new = AtomicBool::new(false);
            let claim = async || {
                is_new.store(true, Ordering::Relaxed);
                own.clone()
            };
            let first = cx.record_in_run(&line.name(turn.number), claim).await;
            let is_new = is_new.into_inner();
            if first == own {
                // A call that was dropped in the run must not run in a replay: the next one had its place.
                if is_new || !was_dropped(cx, line, turn.number, false).await {
                    return Ok(First { cx, turn, is_new, has_ended: false });
                }
                turn.forget(false);
                turn.changes();
                continue;
            }
            if has_waited {
                return Err(unknown(cx));
            }
            let changed = line.changed();
            drop(turn);
            // That call may wait for a slot of this one.
            let held = Held::here();
            let arrival = held.lend(tokio::time::timeout(ARRIVAL, changed));
            has_waited = cx.without_permit(arrival).await.is_err();
        }
    }
}

/// Whether the call with this number was dropped before its tool started, and another one had its place. The first to know records it.
async fn was_dropped(cx: &ToolContext, line: &Line, number: u32, is_now: bool) -> bool {
    cx.record_in_run(&format!("{}.dropped", line.name(number)), async || is_now).await
}

/// The error of a call after one whose outcome is not known.
fn unknown(cx: &ToolContext) -> ToolResult {
    let source = OutcomeUnknown { tool: cx.tool_name().to_owned() };
    Err(ToolError::from_source(source).with_kind(ErrorKind::InDoubt).into())
}

/// The error of a call after one with a long result.
fn too_long(cx: &ToolContext) -> ToolResult {
    let text = format!(
        "`{}` was not called again: an equal call of this run ended, and its result is too long to be repeated. Read the first result",
        cx.tool_name()
    );
    Err(ToolError::new(text).with_kind(ErrorKind::Withheld).into())
}

/// A call that runs its tool, until its end.
struct First<'c, 'l> {
    cx: &'c ToolContext,
    turn: Turn<'l>,
    /// Whether no earlier start of the run made this call.
    is_new: bool,
    has_ended: bool,
}

impl First<'_, '_> {
    fn end(mut self, result: &ToolResult) {
        self.has_ended = true;
        match result {
            Ok(_) | Err(Exit::Stop(_) | Exit::Abort(_)) => self.finish(result),
            Err(Exit::Tool(error)) => self.after(error.kind(), result),
        }
    }

    fn after(&mut self, kind: ErrorKind, result: &ToolResult) {
        // A call in doubt did not start in this process.
        let has_started = self.cx.attempt() > 0 || kind == ErrorKind::InDoubt;
        if !has_started || self.cx.definition().effect.is_repeatable() {
            self.turn.forget(false);
        } else if kind.is_in_doubt() || kind == ErrorKind::Remote {
            self.turn.outcome = Outcome::Unknown;
        } else {
            self.finish(result);
        }
    }

    fn finish(&mut self, result: &ToolResult) {
        if self.turn.finish(result) {
            return;
        }
        if self.cx.definition().effect.is_repeatable() {
            self.turn.forget(false);
        } else {
            self.turn.outcome = Outcome::TooLong;
        }
    }
}

impl Drop for First<'_, '_> {
    fn drop(&mut self) {
        if !self.has_ended {
            // An earlier start of the run may have started the tool.
            let may_have_started = self.cx.attempt() > 0 || !self.is_new;
            if self.cx.is_waiting() {
                self.turn.outcome = Outcome::Paused;
            } else if may_have_started && !self.cx.definition().effect.is_repeatable() {
                self.turn.outcome = Outcome::Unknown;
            } else {
                self.turn.forget(true);
            }
        }
        self.turn.changes();
    }
}

#[diagnostic::do_not_recommend]
impl Hook for dedupe {
    type Made = ByDefault;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let call = self.call(cx, args);
        // A replay refuses the calls that the run refused, and no others.
        let admitted = cx.record("onionskin-hooks.dedupe", async || self.calls.admit(cx.run(), &call)).await;
        admitted.map_err(|error| not_called(cx, error))?;
        let line = self.calls.line(cx.run(), &call);
        let first = match self.turn(cx, &line).await {
            Ok(first) => first,
            Err(answer) => return answer,
        };
        let result = next.run(args).await;
        first.end(&result);
        result
    }
}

impl fmt::Debug for dedupe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("dedupe").field("calls", &self.calls.len()).finish_non_exhaustive()
    }
}
