//! The run sees an abort before a hook does. Out of line, so that a call that succeeds pays one comparison.

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

/// Latches an abort that can be that of another call: a call that does not continue returns it.
#[cold]
pub(super) fn latch_first(cx: &ToolContext, exit: &Exit) {
    if let Exit::Abort(abort) = exit
        && cx.run().aborted().is_none()
    {
        cx.abort(abort);
    }
}
