//! Blocking tools: their functions run on threads of their own, off the async ones.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::around::Around;
use crate::context::{Left, ToolContext};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};

/// How far the work on a thread has come. One step decides whether it begins or is given up.
#[derive(Clone)]
struct Progress(Arc<AtomicU8>);

const WAITS: u8 = 0;
const BEGUN: u8 = 1;
const DONE: u8 = 2;
const GIVEN_UP: u8 = 3;

impl Progress {
    /// Goes on from waiting; false if somebody else was faster.
    fn leaves_waiting(&self, to: u8) -> bool {
        self.0.compare_exchange(WAITS, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Gives the work up when nobody waits for it any more, and tells the call what is left of it.
struct Waits<'a> {
    cx: &'a ToolContext,
    progress: Progress,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.progress.leaves_waiting(GIVEN_UP) {
            self.cx.leave(Left::NotBegun);
        } else if self.progress.0.load(Ordering::Acquire) == BEGUN {
            self.cx.leave(Left::Running);
        }
    }
}

/// Marks the end of the work, also by a panic.
struct Ends(Progress);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.0.store(DONE, Ordering::Release);
    }
}

/// Runs a blocking tool on a thread of its own, off the async threads. Its panic goes on in the caller, where
/// it becomes a tool error as any other. `work` gets the context of this one attempt.
///
/// Dropping the future before the work began has it never begin: it may wait long for a thread. Work that has begun cannot
/// be stopped, it is told: the cancellation token of the attempt's context is cancelled then, also if the call goes on and is
/// tried again.
///
/// # Errors
/// As the work; and if it did not begin, because its run ended or the tokio runtime is shutting down.
pub async fn offload<R: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce(&ToolContext) -> ToolResult<R> + Send + 'static,
) -> ToolResult<R> {
    let attempt = cx.to_owned_attempt();
    let _over = attempt.cancellation().drop_guard();
    let around = Around::here();
    let progress = Progress(Arc::default());
    let _waits = Waits { cx, progress: progress.clone() };
    let run = move || {
        // Nobody may wait for it any more, or its run may be over before it is dropped.
        if attempt.cancellation().is_cancelled() || !progress.leaves_waiting(BEGUN) {
            return None;
        }
        let _ends = Ends(progress);
        Some(around.carry(|| work(&attempt)))
    };
    let reason = match tokio::task::spawn_blocking(run).await {
        Ok(Some(result)) => return result,
        Ok(None) => "its run is over",
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => "the program is shutting down",
        },
    };
    let text = format!("`{}` did not run: {reason}", cx.tool_name());
    Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Cancelled)))
}
