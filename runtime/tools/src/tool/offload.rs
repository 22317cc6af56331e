//! Blocking tools, whose functions run on threads outside the async executor.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::other_thread::TaskLocals;
use crate::context::{CallProgress, ToolContext};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::on_drop::OnDrop;

/// The progress of work on a thread. An atomic transition decides whether it starts or is abandoned.
#[derive(Clone)]
struct Progress(Arc<AtomicU8>);

const WAITS: u8 = 0;
const BEGUN: u8 = 1;
const DONE: u8 = 2;
const GIVEN_UP: u8 = 3;

impl Progress {
    /// Leaves the state `WAITS`. Returns `false` if another thread left it first.
    fn leaves_waiting(&self, to: u8) -> bool {
        self.0.compare_exchange(WAITS, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Runs a blocking tool on a thread outside the async executor. A panic unwinds in the caller, where it
/// becomes a tool error. `work` receives the context of this attempt.
///
/// Cancel safety: if the future is dropped while the work waits for a thread, the work never starts. Started
/// work cannot be stopped; instead the cancellation token of the attempt's context is cancelled, also if the
/// call continues with another attempt.
///
/// # Errors
/// Returns the error of the work, or an error if the work did not start because its run ended or the tokio
/// runtime is shutting down.
pub async fn offload<R: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce(&ToolContext) -> ToolResult<R> + Send + 'static,
) -> ToolResult<R> {
    let attempt = cx.to_owned_attempt();
    let _over = attempt.cancellation().drop_guard();
    let locals = TaskLocals::here();
    let progress = Progress(Arc::default());
    let waits = progress.clone();
    // If the caller is dropped, the work is abandoned, or the call notes that it runs on.
    let _waits = OnDrop(move || {
        if waits.leaves_waiting(GIVEN_UP) {
            cx.note_dropped(CallProgress::NotStarted);
        } else if waits.0.load(Ordering::Acquire) == BEGUN {
            cx.note_dropped(CallProgress::Running);
        }
    });
    let run = move || {
        // The caller may be gone, or its run may have ended before the caller is dropped.
        if attempt.cancellation().is_cancelled() || !progress.leaves_waiting(BEGUN) {
            return None;
        }
        let _ends = OnDrop(|| progress.0.store(DONE, Ordering::Release));
        Some(locals.carry(|| work(&attempt)))
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
