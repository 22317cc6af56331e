//! The stages of hand-written tools.

use super::Tool;
use crate::context::{ToolContext, timed};
use crate::onion::{Caught, tool_panicked};
use crate::policy::answer;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::refuse_lost;
use onionskin_definitions::error::ToolResult;

/// Runs a tool through its own stages.
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
