//! Both ends of a call: the outermost layer, and the attempt of the tool at the core.

use std::any::type_name;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;

use super::latch::latch_first;
use super::panics::{Caught, hook_panicked, tool_panicked};
use crate::context::{AbortCause, Depth, ToolContext, Within, at_depth, timed};
use crate::event::CallRecord;
use crate::journal::{JournalError, StepKind, fingerprint};
use crate::state::{Address, Recorder};
use onionskin_definitions::args::Args;
use onionskin_definitions::boxed::boxed;
use onionskin_definitions::definition::{Effect, ToolSource, refuse_lost};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::lock::lock;

/// Wraps a call of an onion. A panic of a hook aborts the run. Once the abort latch is set, the result is the
/// abort.
pub fn outermost<F>(cx: &ToolContext, call: F) -> impl Future<Output = ToolResult> + Send
where
    F: Future<Output = ToolResult> + Send,
{
    Outermost { call: Caught::new(call, cx, hook_panicked), cx }
}

pin_project! {
    struct Outermost<'a, F> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
    }
}

impl<F: Future<Output = ToolResult>> Future for Outermost<'_, F> {
    type Output = ToolResult;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        let this = self.project();
        let Poll::Ready(mut result) = this.call.poll(context) else { return Poll::Pending };
        // The kind of exit is checked out of line, which saves a successful call one branch.
        if let Err(exit) = &mut result {
            latch_first(this.cx, exit);
            this.cx.report_effect(exit);
        }
        match this.cx.run().aborted() {
            Some(abort) => Poll::Ready(Err(Exit::Abort(abort.clone()))),
            None => Poll::Ready(result),
        }
    }
}

/// Runs a tool, unless the run was aborted: counts the attempt, enforces limits, and catches panics.
///
/// # Errors
/// Returns the errors of the tool, its limits and its guardrails.
pub async fn call_tool<'b, F>(
    cx: &ToolContext,
    args: &'b mut Args,
    call: impl FnOnce(&'b mut Args) -> F + Send,
) -> ToolResult
where
    F: Future<Output = ToolResult> + Send,
{
    if cx.entry().is_watched || cx.run().is_watched() || cx.is_inside() || cx.has_hook_rules() {
        // Boxed, so that an unwatched call is not larger; and without its type, in which the compiler would look for what is not `Send`.
        let attempt: BoxFuture<'_, ToolResult> = boxed(|| watched_attempt(cx, args, call));
        let mut result = attempt.await;
        if let Err(exit) = &result {
            latch_first(cx, exit);
        }
        cx.note_end_around(&mut result);
        return result;
    }
    refuse_aborted(cx)?;
    cx.start_attempt();
    let mut result = Caught::new(CompiledOnce { call: call(args) }, cx, tool_panicked).await;
    // Ask the session, because another of its runs can register a secret meanwhile, which hooks must not see
    // either.
    if cx.run().concealed().any() {
        result = cx.run().hide(result);
    }
    if result.is_ok() && !cx.entry().starts_inside {
        cx.note_success();
    } else {
        note_end(cx, &mut result);
    }
    result
}

pin_project! {
    /// Polls the dispatch to an agent's tools in a separate function. The dispatch is the largest function of
    /// a program with many tools, and every codegen unit that polls an `async` block compiles it.
    struct CompiledOnce<F> {
        #[pin]
        call: F,
    }
}

impl<F: Future> Future for CompiledOnce<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.project().call.poll(context)
    }
}

/// Records the end of an attempt: the run sees an abort before a hook does, and a tool with invalid arguments
/// counts as not started. Out of line, so that a successful call pays two comparisons.
#[cold]
#[inline(never)]
fn note_end(cx: &ToolContext, result: &mut ToolResult) {
    if let Err(exit) = result {
        latch_first(cx, exit);
        if !cx.entry().starts_inside {
            cx.note_refused(&cx.definition().name, exit);
            cx.note_failure(exit);
            return;
        }
    }
    cx.note_end_around(result);
}

/// Refuses a call after an abort, because a hook can ignore the abort and call again before the run is
/// dropped.
#[inline]
fn refuse_aborted(cx: &ToolContext) -> Result<(), Exit> {
    match cx.run().aborted() {
        Some(abort) => Err(Exit::Abort(abort.clone())),
        None => Ok(()),
    }
}

/// Runs an attempt inside the guardrails of the agent.
#[cold]
async fn watched_attempt<'b, F>(
    cx: &ToolContext,
    args: &'b mut Args,
    call: impl FnOnce(&'b mut Args) -> F + Send,
) -> ToolResult
where
    F: Future<Output = ToolResult> + Send,
{
    let guards = cx.guards();
    if let Some(guards) = guards {
        refuse_aborted(cx)?;
        guards.admit(cx, args).await?;
    }
    // The stages of a tool ask, because its own hooks and guardrails can change the arguments.
    if let Some(asker) = cx.asker().filter(|_| !cx.entry().starts_inside) {
        refuse_aborted(cx)?;
        asker.approve(cx, args).await?;
    }
    let checked = guards.map(|guards| (guards, args.clone()));
    let attempt = async move {
        if cx.definition().depends_on_run() && !cx.is_inside() {
            refuse_aborted(cx)?;
            cx.definition().check(args)?;
        }
        let request = cx.run().journal().map(|_| {
            let hash = fingerprint(&*args.text());
            cx.keep_attempt_args(args, &hash);
            hash
        });
        let call = Caught::new(CompiledOnce { call: call(args) }, cx, tool_panicked);
        refuse_aborted(cx)?;
        // A call from one of the tool's own hooks, which skips the others, is part of the attempt.
        if cx.is_inside() {
            let mut result = timed(cx, call).await;
            if !cx.entry().starts_inside {
                cx.note_end(&mut result);
            }
            return result;
        }
        let starts = cx.attempt();
        cx.start_attempt();
        if request.is_some() {
            cx.number_reads_anew();
        }
        recorded_attempt(cx, Box::pin(call), starts, request).await
    };
    let result = attempt.await;
    match checked {
        Some((guards, args)) => guards.release(cx, &args, result).await,
        None => result,
    }
}

/// Runs a dynamic tool.
///
/// # Errors
/// Returns the errors of the tool.
pub fn call_dynamic<'a>(cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
    match cx.dynamic() {
        Some(tool) => match refuse_lost(cx.tool_name(), args) {
            Ok(()) => tool.call_dyn(cx, args),
            Err(exit) => Box::pin(ready(Err(exit))),
        },
        None => Box::pin(ready(Err(Exit::Tool(
            ToolError::new(format!("the tool `{}` is not part of this agent", cx.tool_name()))
                .with_kind(ErrorKind::UnknownTool),
        )))),
    }
}

/// Enforces the timeout, redacts secrets, and records the call as a step if there is a journal. Boxed, so
/// that this crate compiles the code once, and not every crate with an agent. `before` is the number of
/// earlier starts of the tool; `request` is the hash of the arguments if there is a journal.
fn recorded_attempt<'a>(
    cx: &'a ToolContext,
    call: BoxFuture<'a, ToolResult>,
    before: u32,
    request: Option<String>,
) -> BoxFuture<'a, ToolResult> {
    // This layer is inside the hooks and the journal, so that they see no secrets.
    let hidden = async move {
        let result = if cx.entry().starts_inside {
            let mut result = timed(cx, call).await;
            cx.note_end_around(&mut result);
            result
        } else {
            cx.start(&cx.definition().name, call).await
        };
        cx.run().hide(result)
    };
    Box::pin(async move {
        let Some(request) = request else {
            return hidden.await;
        };
        // The result of a call that ran, and its record. Hooks get the original result, because a record
        // loses types.
        let made = Mutex::new(None);
        let recorder = Recorder::new(Address::new(&**cx.run().state()), cx.run().session_state().address());
        let within = Within::here();
        let work = async || {
            let is_agent = cx.source() == ToolSource::Agent;
            let hidden = recorder.around(at_depth(cx, Depth::Step, hidden));
            // Code that can run again without its step's record must read the same states.
            let runs_again = if is_agent { cx.has_sender() } else { cx.may_ask() };
            let result =
                if runs_again { within.run(cx.step_id(StepKind::Tool), hidden).await } else { hidden.await };
            // The steps of a child run are recorded one by one. If its answer were recorded too, a replay
            // would have no events, usage and messages of the run. A failure is recorded, because it can
            // depend on time, unless the end of the caller's run caused it.
            if is_agent && (!matches!(result, Err(Exit::Tool(_))) || cx.run().is_ending()) {
                return Err(result);
            }
            if let Some(questions) = cx.run().questions().filter(|_| !is_agent) {
                questions.note_acted();
            }
            let mut recorded = recorder.take();
            if recorded.has_secret && cx.definition().effect == Effect::Once && recorded.problem.is_none() {
                recorded.problem =
                    cx.run().questions().and_then(|questions| questions.own()).map(|_| registered_secret());
            }
            if let Some(problem) = &recorded.problem {
                if cx.run().continues_unrecorded(&cx.step_id(StepKind::Tool), problem) {
                    return Err(result);
                }
                let step = cx.run().journal_step(cx.step_id(StepKind::Tool));
                cx.abort_for(AbortCause::Journal(JournalError::unrecordable(&step, problem)));
                return Err(result);
            }
            // A secret is never recorded, so a replay repeats the call.
            if recorded.has_secret && cx.definition().effect != Effect::Once {
                return Err(result);
            }
            let record = CallRecord::new(&result, cx.attempt().saturating_sub(before), recorded);
            *lock(&made) = Some((record.clone(), result));
            Ok(record)
        };
        let requested = || (cx.definition().effect, request);
        match Box::pin(cx.run().step(cx.step_id(StepKind::Tool), requested, work)).await {
            Ok(record) => {
                let made = lock(&made).take();
                let is_recalled = made.is_none();
                if is_recalled {
                    cx.note_own_state_read();
                    cx.recall_starts(record.starts());
                    Box::pin(cx.recall_approval()).await;
                    let step = || cx.run().journal_step(cx.step_id(StepKind::Tool));
                    let problem = match cx.run().repeat(record.changes()) {
                        Err(problem) => Some(JournalError::diverged(&step(), problem)),
                        Ok(()) if record.has_secret() => {
                            Some(JournalError::unrecordable(&step(), registered_secret()))
                        }
                        Ok(()) => None,
                    };
                    if let Some(problem) = problem {
                        cx.abort_for(AbortCause::Journal(problem));
                    }
                }
                let result = match made {
                    Some((own, result)) if own == record => result,
                    _ => record.into_result(),
                };
                if is_recalled {
                    cx.note_recalled(&result);
                }
                result.inspect_err(|exit| cx.note_doubt(exit))
            }
            Err(not_recorded) => not_recorded,
        }
    })
}

/// Why a call with the effect `Once` that registers a secret cannot be recorded.
fn registered_secret() -> String {
    "it registered a secret, which is not recorded, and its effect is `once`: store the secret before the run \
     (`SessionState::set_secret`)"
        .to_owned()
}

/// The last segment of a type's name: for a generated type the function's name, for an `Arc` the inner type's
/// name, without the `r#` of a raw identifier.
pub fn short_name<T: ?Sized>() -> &'static str {
    let name = type_name::<T>();
    let name = name.strip_prefix("alloc::sync::Arc<").unwrap_or(name);
    let path = name.split(['<', '>']).next().unwrap_or(name);
    let last = path.rsplit("::").next().unwrap_or(path);
    last.strip_prefix("r#").unwrap_or(last)
}
