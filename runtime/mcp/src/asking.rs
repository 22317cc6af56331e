//! A call whose server asks a person before it has a result. A server of the protocol of 2025 asks while the call waits; one of 2026 answers with what
//! it needs, and gets the call again.

use std::collections::BTreeMap;
use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin_core::question::AskError;
use onionskin_core::text::short;
use onionskin_core::{ErrorKind, Exit, ToolContext, ToolError, ToolOutput, ToolResult};
use rmcp::model::ErrorData;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use super::client::{QUESTIONS, ServerQuestion};
use super::elicitation::{self, Elicitation};
use super::grants::{ELICITATION, Grants};
use super::input_required::{Input, InputRequest, InputRequired};
use super::server::Server;
use super::visible::visible;

/// How often a call is made again with what its server asked for.
const ROUNDS: usize = 10;
/// The pause before a call is made again for which the server asked nobody.
const PAUSE: Duration = Duration::from_millis(250);
/// An error quotes so much of the result of a server that got no answer.
const QUOTE: usize = 500;

/// What a request of a call ends with.
pub(super) enum Reply {
    Done(ToolOutput),
    /// The server needs input before it goes on.
    Required(InputRequired),
}

impl Reply {
    /// The result of a server that may not ask.
    ///
    /// # Errors
    /// Returns an error for the model if it asks.
    pub(super) fn without_input(self, server: &str) -> ToolResult {
        match self {
            Self::Done(output) => Ok(output),
            Self::Required(_) => {
                let text = format!(
                    "the MCP server `{server}` asks for a person's input before it continues, which its configuration does not allow \
                     (`ServerConfig::asks`)"
                );
                Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote)))
            }
        }
    }
}

/// A call whose server may ask.
pub(super) struct Asking<'c> {
    pub(super) cx: &'c ToolContext,
    pub(super) server: &'c Server,
    /// Whether the call may be made again after it was cancelled.
    pub(super) is_repeatable: bool,
}

impl Asking<'_> {
    /// Makes a call, with the input that its server asks for. `send` makes one request, and `arguments` are those of all.
    pub(super) async fn run<F>(&self, arguments: &str, mut send: impl FnMut(Input) -> F + Send) -> ToolResult
    where
        F: Future<Output = ToolResult<Reply>> + Send,
    {
        let (mut input, mut questions) = (Input::default(), 0);
        for round in 0..=ROUNDS {
            let request = send(input.clone());
            let required = async move {
                match request.await {
                    Ok(Reply::Required(required)) => Ok(required),
                    Ok(Reply::Done(output)) => Err(Ok(output)),
                    Err(exit) => Err(Err(exit)),
                }
            };
            // What the server asks for is recorded, so a run that pauses at the question need not make the request again.
            let required = match self.cx.before_question(&(round, arguments, &input), || required).await {
                Ok(required) => required,
                Err(result) => return result,
            };
            if required.input_requests.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
            questions += required.input_requests.len();
            if questions > QUESTIONS {
                break;
            }
            let mut responses = BTreeMap::new();
            for (key, request) in required.input_requests {
                responses.insert(key, self.response(request).await?);
            }
            input = match required.refusal {
                None => Input { responses, state: required.request_state },
                Some(_) if responses.values().all(elicitation::is_accepted) => Input::default(),
                Some(refusal) => {
                    let text = format!("the MCP server `{}` refused the call: {refusal}", self.server.name);
                    return Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote)));
                }
            };
        }
        let text = format!(
            "the MCP server `{}` asked for input again and again, and the call was given up; whether it took effect is not known",
            self.server.name
        );
        Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Limit)))
    }

    /// The response to a request in the result of a call.
    async fn response(&self, request: InputRequest) -> ToolResult<Value> {
        let server = &self.server.name;
        let refused = |reason: &str| {
            let text =
                format!("the MCP server `{server}` asks for what it does not get: {}", visible(reason));
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote))
        };
        let grants = Grants::new(&self.server.config);
        if request.method != ELICITATION || !grants.asks() {
            return grants.answer(&request.method).map_err(|error| refused(&error.message));
        }
        let elicitation = self.read(&request.params.to_string()).map_err(|reason| refused(&reason))?;
        match self.ask(&elicitation, Some(Box::new(|| {}))).await {
            Ok(result) => Ok(result),
            Err(error) => Err(self.unanswered(error, "and the call was not made again")),
        }
    }

    /// Waits for a request, and asks what its server asks meanwhile. `request` ends without a reply when `left` is notified: nobody answers now, so
    /// it is cancelled, and the run pauses.
    pub(super) async fn listen(
        &self,
        request: impl Future<Output = Option<ToolResult<Reply>>>,
        mut asked: mpsc::Receiver<ServerQuestion>,
        left: &Notify,
    ) -> ToolResult<Reply> {
        let mut request = pin!(request);
        let mut open: Option<BoxFuture<'_, Option<AskError>>> = None;
        let (mut is_left, mut unanswered) = (false, None);
        loop {
            tokio::select! {
                biased;
                reply = &mut request, if !is_left => match reply {
                    Some(reply) => return self.with_failed_question(unanswered, reply),
                    None => is_left = true,
                },
                failed = ended(&mut open), if open.is_some() => {
                    unanswered = unanswered.or(failed);
                    open = None;
                    if is_left && let Some(error) = unanswered.take() {
                        return Err(self.unanswered(error, "and the call was cancelled"));
                    }
                }
                Some(question) = asked.recv(), if open.is_none() => {
                    open = Some(Box::pin(self.answer(question, left)));
                }
                else => pending().await,
            }
        }
    }

    /// Answers a question of a request that waits for it. Returns why it has no answer.
    async fn answer(&self, question: ServerQuestion, left: &Notify) -> Option<AskError> {
        let elicitation = match self.read(&question.params) {
            Ok(elicitation) => elicitation,
            Err(reason) => {
                let _ = question.answer.send(Err(ErrorData::invalid_params(reason, None)));
                return None;
            }
        };
        let leave: Box<dyn FnOnce() + Send> = Box::new(|| left.notify_one());
        match self.ask(&elicitation, self.is_repeatable.then_some(leave)).await {
            Ok(result) => drop(question.answer.send(Ok(result))),
            Err(error) => return Some(error),
        }
        None
    }

    fn read(&self, params: &str) -> Result<Elicitation, String> {
        Elicitation::read(&self.server.name, &self.server.result_secrets, params)
    }

    /// Asks a person. The result is the server's.
    async fn ask(
        &self,
        elicitation: &Elicitation,
        before_pause: Option<Box<dyn FnOnce() + Send + '_>>,
    ) -> Result<Value, AskError> {
        let (text, schema) = (elicitation.text.clone(), elicitation.schema.clone());
        match self.cx.ask_for_request(text, schema, before_pause).await {
            Ok(answer) => Ok(elicitation.result(answer)),
            Err(AskError::Declined { .. }) => Ok(elicitation::declined()),
            Err(error) => Err(error),
        }
    }

    /// The result of a request, or the error that a question of it had no answer.
    fn with_failed_question(
        &self,
        question: Option<AskError>,
        reply: ToolResult<Reply>,
    ) -> ToolResult<Reply> {
        let Some(error) = question else { return reply };
        let said = match reply {
            Ok(Reply::Done(output)) => output.to_text().into_owned(),
            Ok(Reply::Required(_)) => "it needs other input first".to_owned(),
            Err(exit) => exit.to_string(),
        };
        let said = format!("and the server, which was told so, answered: {}", short(&said, QUOTE));
        Err(self.unanswered(error, &said))
    }

    fn unanswered(&self, error: AskError, then: &str) -> Exit {
        let text =
            format!("a question of the MCP server `{}` has no answer, {then} ({error})", self.server.name);
        Exit::Tool(ToolError::new(text).with_source(error))
    }
}

/// Waits for the end of a question.
async fn ended(open: &mut Option<BoxFuture<'_, Option<AskError>>>) -> Option<AskError> {
    match open {
        Some(open) => open.await,
        None => pending().await,
    }
}
