//! Resources and prompts as parts of the system prompt.

use std::fmt;
use std::sync::Arc;

use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::{BoxError, ToolFilter};
use onionskin_core::{Exit, RunContext, ToolError, ToolOutput};
use serde_json::{Map, Value};

use super::answer::Answers;
use super::connection_thread::ConnectionThread;
use super::input_required::{Called, Input};
use super::server_data::Data;

/// A longer text is an error: it is a part of each request to the model.
const MAX_BYTES: usize = 256 << 10;

/// A resource or a prompt of a server, as a part of the system prompt ([`McpServer::resource`](super::McpServer::resource),
/// [`McpServer::prompt`](super::McpServer::prompt)). Each turn requests it anew, with the credentials of its run.
pub struct McpText {
    thread: Arc<ConnectionThread>,
    data: Data,
    arguments: Map<String, Value>,
}

impl McpText {
    pub(super) fn new(thread: Arc<ConnectionThread>, data: Data, arguments: Map<String, Value>) -> Self {
        Self { thread, data, arguments }
    }

    async fn output(&self, run: &RunContext) -> Result<ToolOutput, Exit> {
        let shared = Arc::clone(&self.thread.server);
        let [_, tool] = shared.readers(self.data, &ToolFilter::all()).map_err(ToolError::new)?;
        let (run, sent) = (run.clone(), (self.arguments.clone(), Input::default()));
        let read = async move {
            let headers: Vec<_> = shared.config.run_headers.values().cloned().collect();
            let server = shared.for_run(&run, &headers)?;
            server.secrets.called_from(&run);
            let connection = server.connection().await?;
            match server.call(&connection, &tool, sent, |_| {}, None).await? {
                Called::Answer(answer) => Answers::new(server, tool).read(answer).await,
                Called::Required(_) => {
                    Err(ToolError::new("it asks for input first, and nobody is asked for a part of a prompt")
                        .into())
                }
            }
        };
        self.thread.run(read).await
    }

    fn whole_text(output: &ToolOutput) -> Result<Option<String>, &'static str> {
        let blocks = output.content();
        if blocks.iter().any(|block| block.as_text().is_none()) {
            return Err("it is no text, and a prompt has texts only");
        }
        let text = output.to_text();
        if text.len() > MAX_BYTES {
            return Err("it is longer than 256 KiB");
        }
        Ok((!text.is_empty()).then(|| text.into_owned()))
    }
}

#[diagnostic::do_not_recommend]
impl PromptSource for McpText {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        let failed = |reason: String| {
            let (server, key) = (&self.thread.server.name, self.data.key());
            let one = self.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
            ToolError::new(format!("the {key} `{one}` of the server `{server}` gave no text: {reason}"))
        };
        match self.output(run).await {
            Ok(output) => Ok(Self::whole_text(&output).map_err(|reason| failed(reason.to_owned()))?),
            Err(Exit::Tool(error)) => {
                let reason = error.to_string();
                Err(failed(reason).with_source(error).into())
            }
            Err(exit) => Err(failed(exit.to_string()).into()),
        }
    }
}

impl fmt::Debug for McpText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = &self.thread.server.name;
        f.debug_struct("McpText").field("server", server).field("data", &self.data).finish_non_exhaustive()
    }
}
