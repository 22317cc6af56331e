//! The stages of a hand-written tool: before it, after it, and on errors.

use super::Tool;
use crate::args::Args;
use crate::context::{ToolContext, timed};
use crate::definition::refuse_lost;
use crate::error::ToolResult;
use crate::onion::{Caught, tool_panicked};
use crate::policy::answer;

/// Runs the tool between its own stages.
pub(super) async fn staged<T: Tool>(tool: &T, cx: &ToolContext, args: &mut Args) -> ToolResult {
    cx.timeout_is_inner();
    let call = async move {
        tool.on_invoke(cx, &mut *args).await?;
        refuse_lost(cx.tool_name(), args)?;
        tool.fit_args(cx, args)?;
        let output = timed(cx, tool.run(cx, args)).await?;
        tool.on_output(cx, output).await
    };
    let result = Caught::new(call, cx, tool_panicked).await;
    answer(cx, result, |error| tool.on_error(cx, error)).await
}
