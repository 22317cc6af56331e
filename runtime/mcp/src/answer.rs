//! Reads the answer to a call, and checks it against the tool's own output schema.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::server::{RemoteTool, Server};
use onionskin_core::ToolOutput;
use onionskin_core::schema::check_until;
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};

/// Ends a check from another thread.
type Stop = Arc<AtomicBool>;

/// A longer answer is read on another thread: it may take seconds, and an async thread has other work.
const LONG: usize = 16 << 10;

/// The server and the tool that an answer comes from.
#[derive(Clone)]
pub(super) struct Answers {
    pub(super) server: Arc<Server>,
    pub(super) tool: RemoteTool,
    /// Whether a short answer may take long to check.
    is_slow: bool,
}

/// Stops the thread when the call is dropped.
struct Waits(Stop);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Answers {
    pub(super) fn new(server: Arc<Server>, tool: RemoteTool) -> Self {
        let schema = tool.definition.output_schema.as_ref().map(ToString::to_string);
        // The time of a pattern does not depend on the length of the answer.
        let is_slow = schema.is_some_and(|schema| schema.len() > LONG || schema.contains("\"pattern"));
        Self { server, tool, is_slow }
    }

    /// The result in an answer, if it fits the output schema.
    pub(super) async fn read(&self, answer: String) -> ToolResult {
        let stop = Stop::default();
        if answer.len() <= LONG && !self.is_slow {
            return self.checked(&answer, stop);
        }
        let _waits = Waits(Arc::clone(&stop));
        let answers = self.clone();
        match tokio::task::spawn_blocking(move || answers.checked(&answer, stop)).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => {
                    let text = format!(
                        "the result of `{}` was not read: the program is shutting down",
                        self.tool.definition.name
                    );
                    Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Cancelled)))
                }
            },
        }
    }

    fn checked(&self, answer: &str, stop: Stop) -> ToolResult {
        let output = self.server.read(&self.tool, answer)?;
        let Some(reason) = self.misfit(&output, stop) else { return Ok(output) };
        let text = format!(
            "the MCP server `{}` gave a result of `{}` that does not fit the tool's own output schema: {reason}. The call has \
             run; the same call would run again and give such a result again",
            self.server.name, self.tool.name
        );
        let mut report = ToolOutput::text(text);
        if !output.content().is_empty() {
            report.push_text(". The result of the server is:\n");
            report.content_only_mut().extend(output.content().iter().cloned());
        }
        Err(Exit::Tool(ToolError::from_output(ErrorKind::Unreadable, report)))
    }

    /// Returns the reason why a result violates the tool's output schema, if it does.
    fn misfit(&self, output: &ToolOutput, stop: Stop) -> Option<String> {
        let schema = self.tool.definition.output_schema.as_ref()?;
        let Some(value) = output.structured_content() else {
            return Some("it has no structured content".to_owned());
        };
        let problems = check_until(stop, &value, schema);
        let described = || problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        (!problems.is_empty()).then(described)
    }
}
