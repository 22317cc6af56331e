//! Values that are filled in just before the tool reads its arguments, and that callers do not set.

use serde_json::Value;

use crate::context::ToolContext;
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{Exit, ToolResult};

/// The parameters that the innermost layer fills.
pub(crate) trait Fill: Send + Sync + 'static {
    /// The current values, by the tool's own parameter names.
    ///
    /// # Errors
    /// Returns an error if a parameter has no value.
    fn values(&self, cx: &ToolContext) -> ToolResult<Vec<(String, Value)>>;

    /// The error for arguments that set one of these parameters.
    fn refuse(&self, parameter: &str) -> Exit;

    /// Rewrites the tool's exit so that messages do not show the values.
    fn explain(&self, exit: Exit) -> Exit;
}

/// Returns the arguments with the values filled in. The caller's arguments stay unchanged, so callers do not
/// see the values.
///
/// # Errors
/// Returns an error if a value is missing, or if the arguments set a filled-in parameter.
pub(crate) fn fill_in(fill: &dyn Fill, cx: &ToolContext, args: &Args) -> ToolResult<Args> {
    let mut own = args.clone();
    let values = fill.values(cx)?;
    // The tool refuses text that is not an object.
    if own.as_object().is_err() {
        return Ok(own);
    }
    // A default that appears after a hook replaced all arguments was not set by the hook.
    let is_set = |parameter: &str| own.get(parameter).is_some() && !own.is_default(parameter);
    if let Some((parameter, _)) = values.iter().find(|(parameter, _)| is_set(parameter)) {
        return Err(fill.refuse(parameter));
    }
    let Ok(object) = own.as_object_mut() else { return Ok(own) };
    object.extend(values.iter().cloned());
    cx.stages(|stages| stages.runs_with(&values));
    Ok(own)
}
