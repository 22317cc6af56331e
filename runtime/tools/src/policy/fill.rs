//! Values that callers do not set. They are added to the arguments just before the tool reads them.

use serde_json::Value;

use crate::context::ToolContext;
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{Exit, ToolResult};

/// The parameters that are filled in the innermost layer.
pub(crate) trait Fill: Send + Sync + 'static {
    /// The current values, under the tool's own names.
    ///
    /// # Errors
    /// Returns an error if one has no value.
    fn values(&self, cx: &ToolContext) -> ToolResult<Vec<(String, Value)>>;

    /// The refusal of arguments that set one of these parameters.
    fn refuse(&self, parameter: &str) -> Exit;

    /// The tool's exit, with messages that do not show the values.
    fn explain(&self, exit: Exit) -> Exit;
}

/// The arguments with the values filled in. The caller's arguments are unchanged, so callers do not see the values.
///
/// # Errors
/// Returns an error if a value is missing, or if the arguments set one.
pub(crate) fn fill_in(fill: &dyn Fill, cx: &ToolContext, args: &Args) -> ToolResult<Args> {
    let mut own = args.clone();
    let values = fill.values(cx)?;
    // The tool refuses text that is not an object.
    if own.as_object().is_err() {
        return Ok(own);
    }
    // If a hook replaced all arguments, a default that is shown there was not set by the hook.
    let is_set = |parameter: &str| own.get(parameter).is_some() && !own.is_default(parameter);
    if let Some((parameter, _)) = values.iter().find(|(parameter, _)| is_set(parameter)) {
        return Err(fill.refuse(parameter));
    }
    let Ok(object) = own.as_object_mut() else { return Ok(own) };
    object.extend(values.iter().cloned());
    cx.stages(|stages| stages.runs_with(&values));
    Ok(own)
}
