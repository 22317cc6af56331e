//! The hook [`retry`](fn@retry): repeats a call after a transient error.

use std::time::Duration;

use crate::checks::Repeats;
use crate::{Args, Effect, ErrorKind, Exit, Next, ToolContext, ToolResult, tool_hook};
use onionskin_tools::backoff::Backoff;
use onionskin_tools::context::has_timers;

const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(10), jitter: 50 };

/// Repeats a call after an error, up to `attempts` attempts in all; 0 is the same as 1. The pause begins at 100 ms and
/// doubles up to 10 s; up to 49 percent of it are added at random. The pause needs a tokio runtime with timers: without
/// them, the first error is returned with a note.
///
/// It repeats calls only after errors that may be transient: failures, timeouts and remote errors, but not
/// invalid arguments, denials, limits or unreadable answers. Only tools with `effect = pure` or
/// `effect = idempotent` are called again; an error of a tool without `effect` is returned with a note. In
/// the `hooks` of any other tool, this hook does not compile, and building an agent fails if a filter of this
/// hook names such a tool ([`BuildError::NotRepeated`](crate::BuildError::NotRepeated)). Each attempt gets
/// the original arguments, regardless of changes by inner hooks.
///
/// ```
/// use onionskin::agent;
/// use onionskin::hooks::retry;
///
/// agent! { Clerk { instruction: "Take notes.", tool_hooks: [retry(3)] } }
/// ```
///
/// Cancel safety: dropping the future ends the attempt or the pause, and no further attempt begins.
///
/// # Errors
/// Returns the errors of the last attempt.
#[tool_hook]
pub async fn retry(
    #[config] attempts: u32,
    ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    let effect = ctx.definition().effect;
    if attempts > 1 && effect == Effect::Unstated {
        let result = next.run(args).await;
        return if may_help(&result) { result.map_err(without_effect) } else { result };
    }
    let attempts = if effect.is_repeatable() { attempts } else { 1 };
    let mut attempt = 1;
    loop {
        if attempt >= attempts {
            return next.run(args).await;
        }
        let result = next.run(&mut args.clone()).await;
        if !may_help(&result) {
            return result;
        }
        // A pause without timers panics, and a panic of a hook ends the run.
        if !has_timers() {
            return result.map_err(without_timers);
        }
        ctx.sleep(BACKOFF.pause(attempt, ctx.random().await)).await;
        attempt += 1;
    }
}

impl Repeats<retry> {
    /// It repeats calls.
    pub const IS: bool = true;
}

fn without_timers(exit: Exit) -> Exit {
    not_again(
        exit,
        "It was not called again: that needs a tokio runtime with timers; build the runtime with `enable_time()` or `enable_all()`.",
    )
}

fn without_effect(exit: Exit) -> Exit {
    not_again(
        exit,
        "It was not called again: no `effect` of the tool says whether a second call is safe (`pure`, `idempotent` or `once`).",
    )
}

/// The last error, with the reason why no further attempt was made.
fn not_again(exit: Exit, reason: &str) -> Exit {
    let Exit::Tool(mut error) = exit else { return exit };
    error.output_mut().push_text(format!("\n{reason}"));
    Exit::Tool(error)
}

fn may_help(result: &ToolResult) -> bool {
    matches!(
        result,
        Err(Exit::Tool(error))
            if matches!(error.kind(), ErrorKind::Failed | ErrorKind::Timeout | ErrorKind::Remote)
    )
}
