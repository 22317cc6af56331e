//! Calls of an agent, or of one of its tools, by a program, as a model would call them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use onionskin_definitions::debug_fields;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::event::Event;

use crate::agent::built::instance::Instance;
use crate::agent::error::run_error::RunError;
use crate::agent::running::called_tool::CalledTool;

use super::child_tool;
use super::stream::RunStream;

/// A call of an agent or of one of its tools in progress ([`AgentHandle::call`](crate::agent::AgentHandle::call),
/// [`AgentHandle::call_tool`](crate::agent::AgentHandle::call_tool)): a stream of its events, then its output. It makes progress only while it is polled. Dropping it ends the call.
///
/// ```
/// use onionskin::event::EventKind;
/// use onionskin::{Progress, ScriptedModel, agent, tool};
/// use serde_json::json;
///
/// /// Copies files.
/// #[tool]
/// fn copy(progress: Progress, files: u32) -> String {
///     progress.report(1.0, Some(f64::from(files)), None);
///     format!("copied {files}")
/// }
///
/// agent! { Desk { instruction: "Copy.", function_tools: [copy] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let desk = Desk::builder().model(ScriptedModel::new()).build().await.unwrap();
/// let mut call = desk.call_tool("copy", json!({ "files": 2 })).stream();
/// let mut reports = 0;
/// while let Some(event) = call.next().await {
///     reports += u32::from(matches!(event.kind, EventKind::Progress { .. }));
/// }
/// assert_eq!((reports, &*call.output().await.unwrap().to_text()), (1, "copied 2"));
/// # });
/// ```
#[must_use = "a call makes progress only while its stream is polled: read it with `next`, or call `output`"]
pub struct ToolCallStream {
    stream: RunStream,
    /// The call of a tool; `None` for a run of the agent.
    called: Option<Arc<CalledTool>>,
    instance: Arc<Instance>,
}

impl ToolCallStream {
    pub(super) fn new(stream: RunStream, called: Option<Arc<CalledTool>>, instance: Arc<Instance>) -> Self {
        Self { stream, called, instance }
    }

    /// The next event; `None` after the end of the call.
    ///
    /// Cancel safety: no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        self.stream.next().await
    }

    /// Runs to the end and returns the output.
    ///
    /// Cancel safety: dropping the future ends the call, as dropping the stream does.
    ///
    /// # Errors
    /// Returns [`RunError::Tool`] if the tool or a hook fails; other errors as for a run.
    pub async fn output(self) -> Result<ToolOutput, RunError> {
        let Self { stream, called, instance } = self;
        let answer = stream.output().await?.text;
        match called {
            Some(called) => Ok(called.take_output()),
            None => child_tool::output(&instance, answer)
                .map_err(|exit| RunError::agent(Arc::clone(&instance.name), exit.to_string())),
        }
    }
}

impl Stream for ToolCallStream {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        Pin::new(&mut self.stream).poll_next(cx)
    }
}

debug_fields!(ToolCallStream: this => agent: this.instance.name);
