//! Resources and prompts as parts of the system prompt.

use std::fmt;
use std::sync::Arc;

use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::{BoxError, ToolFilter};
use onionskin_core::{Exit, RunContext};
use serde_json::{Map, Value};

use super::asking::Reply;
use super::connection_thread::ConnectionThread;
use super::input_required::{Called, Input};
use super::server_data::Data;

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
}

impl PromptSource for McpText {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        let shared = Arc::clone(&self.thread.server);
        let [_, reader] = shared.readers(self.data, &ToolFilter::all())?;
        let (run, arguments) = (run.clone(), self.arguments.clone());
        let output = self.thread.run(async move {
            let headers: Vec<_> = shared.config.run_headers.values().cloned().collect();
            let server = shared.for_run(&run, &headers)?;
            server.secrets.called_from(&run);
            let connection = server.connection().await?;
            let sent = (arguments, Input::default());
            match server.call(&connection, &reader, sent, |_| {}, None).await? {
                Called::Answer(answer) => server.read(&answer),
                Called::Required(required) => Reply::Required(required).without_input(&server.name),
            }
        });
        let output = match output.await {
            Ok(output) => output,
            Err(Exit::Tool(error)) => return Err(error.into()),
            Err(exit) => return Err(exit.to_string().into()),
        };
        if output.content().iter().any(|block| block.as_text().is_none()) {
            let text = format!(
                "the {} of the server `{}` is no text, and a prompt has texts only",
                self.data.one(),
                self.thread.server.name
            );
            return Err(text.into());
        }
        Ok(Some(output.to_text().into_owned()))
    }
}

impl fmt::Debug for McpText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpText")
            .field("server", &self.thread.server.name)
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}
