//! Calls of tools, and what comes of them.

use std::sync::Arc;

use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::{RemoteTool, Server};
use crate::client::ServerQuestion;
use crate::connection::{Connection, RequestError};
use crate::http_error::{HttpError, UNKNOWN};
use crate::input_required::{self, Called, Input};
use crate::server_config::Link;
use crate::server_data::Operation;
use crate::visible::visible;
use crate::{convert, next_step};

impl Server {
    /// Calls a tool, once more if the server has lost the session and the call may be repeated. The answer is for [`read`](Self::read). What the
    /// server asks meanwhile goes to `questions`.
    pub(crate) async fn call(
        self: &Arc<Self>,
        connection: &Connection,
        tool: &RemoteTool,
        sent: (Map<String, Value>, Input),
        mut progress: impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<Called, Exit> {
        match self.call_once(connection, tool, sent.clone(), &mut progress, questions).await {
            // The server says that the call did not run, but it also lost what it knew.
            Err(exit) if is_session_lost(&exit) && tool.definition.effect.is_repeatable() => {
                let connection = self.connection().await?;
                self.call_once(&connection, tool, sent, &mut progress, questions).await
            }
            called => called,
        }
    }

    pub(super) async fn call_once(
        &self,
        connection: &Connection,
        tool: &RemoteTool,
        (arguments, input): (Map<String, Value>, Input),
        progress: &mut impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<Called, Exit> {
        let failed = |error| self.failed(error, tool.reader.is_some());
        let request = match &tool.reader {
            None => {
                let mut params = CallToolRequestParams::new(tool.name.to_string()).with_arguments(arguments);
                params.input_responses = (!input.responses.is_empty()).then_some(input.responses);
                params.request_state = input.state;
                ClientRequest::CallToolRequest(CallToolRequest::new(params))
            }
            Some(reader) => match reader.operation {
                Operation::List => {
                    let listed = reader.list(&self.name, connection, &arguments).await;
                    return listed.map(Called::Answer).map_err(failed);
                }
                Operation::Read => reader.request(&self.name, arguments, input)?,
            },
        };
        let report = |mut report: ProgressNotificationParam| {
            report.message = report.message.map(|message| self.result_secrets.hide(message));
            progress(report);
        };
        match connection.request(request, report, questions).await {
            Ok(answer) => match input_required::read(&self.name, &answer)? {
                Some(required) => Ok(Called::Required(required)),
                None => Ok(Called::Answer(answer)),
            },
            Err(RequestError::Refused(error)) => match input_required::refused(&error) {
                Some(required) if questions.is_some() => Ok(Called::Required(required)),
                _ => Err(failed(RequestError::Refused(error))),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// The result that an answer to a call of a tool holds.
    pub(crate) fn read(&self, tool: &RemoteTool, answer: &str) -> ToolResult {
        let result = match &tool.reader {
            None => convert::result(&self.name, answer),
            Some(reader) => {
                reader.output(answer).map_err(|reason| self.failed(RequestError::Unreadable(reason), true))
            }
        };
        self.result_secrets.result(result)
    }

    /// The error that the model gets for a call without an answer.
    ///
    /// `only_reads` says that the call has no effect in any case.
    pub(super) fn failed(&self, error: RequestError, only_reads: bool) -> Exit {
        let name = &self.name;
        let unknown = if only_reads { String::new() } else { format!("; {UNKNOWN}") };
        let (kind, text) = match error {
            // The standard error is left out, because it may concern the calls of others.
            RequestError::Died(how) => {
                let text = format!(
                    "the MCP server `{name}` {} during the call ({how}){unknown}. The next call {}",
                    self.config.link.died(),
                    match self.config.link {
                        Link::Process | Link::InProcess(_) => "starts the server again",
                        Link::Http(_) => "begins a new connection",
                    }
                );
                (ErrorKind::Remote, text)
            }
            RequestError::Http(error) => {
                let effect = if only_reads { String::new() } else { format!("; {}", error.effect()) };
                let step = next_step::login_step(&error, name, &self.config)
                    .map(|step| format!(". {step}"))
                    .unwrap_or_default();
                let text = format!("the call to the MCP server `{name}` failed: {error}{effect}{step}");
                let error = error.map_texts(|text| self.secrets.hide(text));
                return Exit::Tool(
                    ToolError::new(self.secrets.hide(text)).with_kind(ErrorKind::Remote).with_source(error),
                );
            }
            RequestError::Timeout(limit) => {
                let text = format!(
                    "the MCP server `{name}` did not answer within {limit:?}; the call was cancelled{unknown}"
                );
                (ErrorKind::Timeout, text)
            }
            RequestError::Unreadable(reason) if only_reads => {
                let text = format!("the MCP server `{name}` gave an answer that cannot be read: {reason}");
                (ErrorKind::Unreadable, text)
            }
            RequestError::Unreadable(reason) => (ErrorKind::Unreadable, convert::unreadable(name, &reason)),
            RequestError::Refused(error) => {
                let data = error.data.filter(|data| !data.is_null());
                let data = data.map(|data| format!(" ({})", visible(&data.to_string()))).unwrap_or_default();
                let message = visible(&error.message);
                (ErrorKind::Remote, format!("the MCP server `{name}` refused the call: {message}{data}"))
            }
            RequestError::Broken(reason) => {
                (ErrorKind::Remote, format!("the call to the MCP server `{name}` was interrupted: {reason}"))
            }
        };
        remote(self.secrets.hide(text), kind)
    }
}

fn is_session_lost(exit: &Exit) -> bool {
    let error = exit.as_tool_error();
    error.is_some_and(|error| {
        error.causes().any(|cause| matches!(cause.downcast_ref(), Some(HttpError::SessionLost)))
    })
}

pub(super) fn remote(text: String, kind: ErrorKind) -> Exit {
    Exit::Tool(ToolError::new(text).with_kind(kind))
}
