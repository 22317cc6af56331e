//! The stages of a hand-written tool: before it, after it, and on errors.

use std::future::Future;

use super::Tool;
use crate::args::Args;
use crate::context::{ToolContext, timed};
use crate::definition::refuse_lost;
use crate::error::ToolResult;
use crate::onion::{Caught, tool_panicked};
use crate::policy::answer;

/// Runs `core` between the tool's own stages. `core` is the tool, or its typed hooks around it.
pub(crate) async fn staged<'a, T, F, Fut>(
    tool: &'a T,
    cx: &'a ToolContext,
    args: &'a mut Args,
    core: F,
) -> ToolResult
where
    T: Tool,
    F: FnOnce(&'a T, &'a ToolContext, &'a mut Args) -> Fut + Send + 'a,
    Fut: Future<Output = ToolResult> + Send + 'a,
{
    cx.timeout_is_inner();
    let call = async move {
        tool.on_invoke(cx, &mut *args).await?;
        refuse_lost(cx.tool_name(), args)?;
        let output = timed(cx, core(tool, cx, args)).await?;
        tool.on_output(cx, output).await
    };
    let result = Caught::new(call, cx, tool_panicked).await;
    answer(cx, result, |error| tool.on_error(cx, error)).await
}
