//! Runs that are a single call of a tool by the program.

use std::sync::{Arc, Mutex};

use onionskin_definitions::lock::lock;
use onionskin_definitions::output::ToolOutput;

/// The call of such a run.
#[derive(Debug)]
pub(in crate::agent) struct CalledTool {
    /// The name of the tool, as the model or the hooks know it.
    pub(in crate::agent) tool: Arc<str>,
    output: Mutex<Option<ToolOutput>>,
}

impl CalledTool {
    pub(in crate::agent) fn new(tool: Arc<str>) -> Self {
        Self { tool, output: Mutex::default() }
    }

    /// Sets the output of the call.
    pub(super) fn set_output(&self, output: ToolOutput) {
        *lock(&self.output) = Some(output);
    }

    /// The output of the call.
    pub(in crate::agent) fn take_output(&self) -> ToolOutput {
        lock(&self.output).take().unwrap_or_default()
    }
}
