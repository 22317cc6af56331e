//! Runs that are a single call of a tool by the program.

use std::sync::{Arc, Mutex};

use onionskin_definitions::args::Args;
use onionskin_definitions::error::Exit;
use onionskin_definitions::lock::lock;
use onionskin_definitions::output::ToolOutput;

use crate::agent::error::run_error::RunError;

use super::run::AgentRun;

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

    /// The output of the call.
    pub(in crate::agent) fn take_output(&self) -> ToolOutput {
        lock(&self.output).take().unwrap_or_default()
    }
}

impl AgentRun {
    /// Runs the call in place of the agent's loop; `arguments` is JSON. Returns the text of its output.
    pub(in crate::agent) async fn call_for_program(&self, arguments: String) -> Result<String, RunError> {
        let Some(called) = &self.called else { return self.converse(arguments).await };
        let output = match self.call_tool(&called.tool, Args::from(arguments)).await {
            Ok(output) => output,
            Err(Exit::Stop(stop)) => stop.into_output(),
            Err(Exit::Tool(source)) => {
                let (agent, tool) = (Arc::clone(&self.instance.name), Arc::clone(&called.tool));
                return Err(RunError::Tool { agent, tool, source });
            }
            Err(Exit::Abort(abort)) => return Err(RunError::Aborted(abort)),
        };
        let text = output.to_text().into_owned();
        *lock(&called.output) = Some(output);
        Ok(text)
    }
}
