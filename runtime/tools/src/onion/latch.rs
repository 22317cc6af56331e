//! Latches aborts, so that the run sees them before a hook does. Out of line, so that a successful call pays
//! one comparison.

use crate::context::ToolContext;
use onionskin_definitions::error::Exit;

/// Latches an abort that a layer returns.
#[cold]
#[inline(never)]
pub(super) fn latch(cx: &ToolContext, exit: &Exit) {
    if let Exit::Abort(abort) = exit {
        cx.abort(abort);
    }
}

/// Latches an abort, unless the run is aborted already: a call that stops because of another call's abort
/// returns that abort.
#[cold]
pub(super) fn latch_first(cx: &ToolContext, exit: &Exit) {
    if let Exit::Abort(abort) = exit
        && cx.run().aborted().is_none()
    {
        cx.abort(abort);
    }
}
