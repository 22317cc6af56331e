//! Values that nobody outside gives, put in beside the arguments just before the tool reads them.

use serde_json::Value;

use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{Exit, ToolResult};

/// Parameters that are filled in the innermost layer.
pub(crate) trait Fill: Send + Sync + 'static {
    /// Their values now, by the tool's own names.
    ///
    /// # Errors
    /// If one has none.
    fn values(&self, cx: &ToolContext) -> ToolResult<Vec<(String, Value)>>;

    /// The refusal of arguments in which somebody set one of them.
    fn refuse(&self, parameter: &str) -> Exit;

    /// What the tool ended with, in words that do not tell the values.
    fn explain(&self, exit: Exit) -> Exit;
}

/// The arguments with what is filled in. Those outside stay as they are: nobody there sees what was filled in.
///
/// # Errors
/// If a value is missing, or somebody set one.
pub(crate) fn fill_in(fill: &dyn Fill, cx: &ToolContext, args: &Args) -> ToolResult<Args> {
    let mut own = args.clone();
    let values = fill.values(cx)?;
    // Text that is no object is refused by the tool.
    if own.as_object().is_err() {
        return Ok(own);
    }
    // A default that is shown where a hook replaced all arguments is nothing that somebody set.
    let is_set = |parameter: &str| own.get(parameter).is_some() && !own.is_default(parameter);
    if let Some((parameter, _)) = values.iter().find(|(parameter, _)| is_set(parameter)) {
        return Err(fill.refuse(parameter));
    }
    let Ok(object) = own.as_object_mut() else { return Ok(own) };
    object.extend(values.iter().cloned());
    cx.stages(|stages| stages.runs_with(&values));
    Ok(own)
}
