//! Calls: of tools, and of prompts that tools write.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::question::Paused;
use onionskin_core::run::ToolCallStream;
use onionskin_core::{Args, CancellationToken, RunError, ToolOutput};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateTaskResult, InputRequiredResult,
    InputResponses, JsonObject, Task,
};
use serde_json::Value;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::asking::{
    ByClient, ClientPeer, Problems, answers, checked, input_requests, missing_capabilities, unasked,
};
use super::client::Requester;
use super::reports::Reports;
use super::result;
use super::task::{Begun, Work};
use crate::calls::{Calls, RunningCall};
use crate::offer::Target;
use crate::parts::Parts;
use crate::question::names;
use crate::state::{Binding, StateError, new_id};

/// Where calls run: a server, and the calls in progress of the connection or of all connections.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) parts: &'p Parts,
    pub(super) calls: &'p Arc<Calls>,
}

impl Place<'_> {
    /// Begins a call of the client's user.
    ///
    /// # Errors
    /// Returns an error if there are too many calls, or if the server ends.
    pub(super) fn begin(&self, requester: &Requester) -> Result<RunningCall, ErrorData> {
        let running = self.calls.begin(requester.client.user().map(crate::User::id));
        running.ok_or_else(busy)
    }
}

/// A call as a client asks for it.
pub(super) struct Call {
    /// The method of MCP: `tools/call` or `prompts/get`.
    pub(super) method: &'static str,
    /// The name of the tool or of the prompt.
    pub(super) name: String,
    pub(super) arguments: JsonObject,
    /// The answers that the client brought.
    pub(super) responses: Option<InputResponses>,
    /// The state of the call that the client answers.
    pub(super) state: Option<String>,
}

/// How a call ended.
pub(super) enum Ended {
    Output(ToolOutput),
    /// It waits for answers of the client.
    Asks(InputRequiredResult),
    /// It failed, with a result for the model.
    Failed(CallToolResult),
    /// It goes on as a task.
    Task(Task),
}

/// Runs the call of a tool and answers it.
///
/// # Errors
/// Returns an error of the protocol for a call that is none.
pub(super) async fn tool(
    place: Place<'_>,
    requester: &Requester,
    request: CallToolRequestParams,
    cancelled: &CancellationToken,
) -> Result<CallToolResponse, ErrorData> {
    let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
    let offer = place.parts.offer();
    let target =
        offer.find(&name).map_err(|error| unlisted(&error))?.ok_or_else(|| result::unknown_tool(&name))?;
    let call = Call {
        method: "tools/call",
        name: name.into_owned(),
        arguments: arguments.unwrap_or_default(),
        responses: input_responses,
        state: request_state,
    };
    Ok(match run(place, requester, &target, call, cancelled).await? {
        Ended::Output(output) => result::complete(&output)?.into(),
        Ended::Asks(asks) => asks.into(),
        Ended::Failed(result) => result.into(),
        Ended::Task(task) => CallToolResponse::Task(CreateTaskResult::new(task)),
    })
}

/// Runs a call.
///
/// # Errors
/// Returns an error of the protocol for a call that is none.
pub(super) async fn run(
    place: Place<'_>,
    requester: &Requester,
    target: &Target<'_>,
    call: Call,
    cancelled: &CancellationToken,
) -> Result<Ended, ErrorData> {
    let Call { method, name, arguments, responses, state } = call;
    let running = place.begin(requester)?;
    let parts = place.parts;
    let span = tracing::info_span!(
        "serve",
        otel.name = &*format!("{method} {name}"),
        otel.kind = "server",
        mcp.method.name = method,
        gen_ai.tool.name = &*name,
    );
    let arguments = Value::Object(arguments);
    let user = requester.client.user().map(crate::User::id);
    // Only a call that waits has one.
    let binding = || Binding::new(&parts.implementation.name, user, method, &name, &arguments);
    let begun = (method == "tools/call" && requester.has_tasks).then(|| Begun::new(&name, &arguments, user));
    let responses = checked(responses)?;
    let id;
    let by_client;
    let mut problems = Problems::new();
    let refusal = Arc::<Mutex<Option<String>>>::default();
    let request = match state {
        Some(state) => {
            let invalid = |error: StateError| ErrorData::invalid_params(error.to_string(), None);
            let binding = binding();
            let opened = parts.states.open(&state, &binding).map_err(invalid)?;
            parts.states.use_up(&opened, &binding).map_err(invalid)?;
            id = opened.paused.run_id().to_owned();
            by_client = ByClient::Nobody;
            let request = target.agent().resume_call(&opened.paused);
            let names = names(opened.paused.questions());
            let (answers, wrong) = answers(&opened.paused, &names, &responses);
            problems = wrong;
            answers.into_iter().fold(request, |request, (key, answer)| request.answer(key, answer))
        }
        None => match target.call(&name, Args::from(arguments.clone())) {
            Ok(request) => {
                id = log_id()?;
                by_client = if requester.is_asked_by_result {
                    ByClient::Named(Mutex::new(responses))
                } else {
                    let (peer, client) = (requester.peer.clone(), requester.client.clone());
                    let (timeout, refusal) = (parts.question_timeout, Arc::clone(&refusal));
                    ByClient::Request(Box::new(ClientPeer { peer, client, timeout, refusal }))
                };
                request.run_id(id.as_str())
            }
            Err(error) => return result::tool_error(&error).map(Ended::Failed),
        },
    };
    let request = match user {
        Some(user) => request.user(user),
        None => request,
    };
    let request = request.offer(requester.client.clone()).default_answerer(by_client);
    let request = request.stop_between_turns(place.calls.stop());
    let is_agent = matches!(target, Target::Agent(_));
    let mut reports = Reports::new(requester, &name, is_agent);
    let mut stream = request.stream();
    if let Some(begun) = begun {
        let in_time = timeout(parts.task_after, watched(&mut stream, &mut reports)).instrument(span.clone());
        let Some(in_time) = cancelled.run_until_cancelled(in_time).await else {
            return Err(result::cancelled(&name));
        };
        if in_time.is_err() {
            let work = Work::new(place, target, &name, &id, requester.client.clone());
            if let Some((task, cancel)) = work.announce(&begun).await {
                tokio::spawn(work.run(stream, running, cancel).instrument(span));
                return Ok(Ended::Task(task));
            }
        }
    }
    let work = async {
        watched(&mut stream, &mut reports).await;
        stream.output().await
    };
    let Some(ended) = cancelled.run_until_cancelled(work.instrument(span)).await else {
        return Err(result::cancelled(&name));
    };
    drop(running);
    match ended {
        Ok(output) => Ok(Ended::Output(output)),
        Err(RunError::Paused(paused)) if requester.is_asked_by_result => {
            asks(parts, requester, &paused, &binding(), &problems)
        }
        Err(RunError::Paused(paused)) => {
            let refusal = refusal.lock().unwrap_or_else(PoisonError::into_inner).take();
            result::error(unasked(&paused, &requester.client, refusal)).map(Ended::Failed)
        }
        Err(RunError::Cancelled { .. }) if place.calls.is_ending() => Err(aborted()),
        Err(failure) => result::failed(&name, &failure, &id).map(Ended::Failed),
    }
}

/// The answer to a call that waits for the client. `problems` are those of the answers that it brought.
fn asks(
    parts: &Parts,
    requester: &Requester,
    paused: &Paused,
    binding: &Binding,
    problems: &Problems,
) -> Result<Ended, ErrorData> {
    if let Some(missing) = missing_capabilities(paused, &requester.client) {
        return Err(ErrorData::missing_required_client_capability(missing));
    }
    let state = parts.states.seal(paused, binding).map_err(|error| {
        tracing::error!("the state of a call cannot be sealed: {error}");
        ErrorData::internal_error("the call cannot wait for an answer", None)
    })?;
    Ok(Ended::Asks(InputRequiredResult::new(
        Some(input_requests(paused, &names(paused.questions()), problems)?),
        Some(state),
    )))
}

/// Runs to the end of the events, and reports them. Dropping the future loses no event that was not reported.
async fn watched(stream: &mut ToolCallStream, reports: &mut Reports<'_>) {
    while let Some(event) = stream.next().await {
        reports.report(&event).await;
    }
}

/// An id under which the log has a call.
fn log_id() -> Result<String, ErrorData> {
    new_id().map_err(|error| {
        tracing::error!("{error}");
        ErrorData::internal_error("the server cannot make an id", None)
    })
}

/// The error of a server that has no room for a call.
pub(super) fn busy() -> ErrorData {
    ErrorData::internal_error("the server has too many calls or is shutting down: try again later", None)
}

/// The error of a call that has begun and is ended by the server.
pub(super) fn aborted() -> ErrorData {
    let text = "the server shut down before the call ended: whether it took effect is not known";
    ErrorData::internal_error(text, None)
}

/// The error for a source of tools that fails.
pub(super) fn unlisted(error: &crate::ServeError) -> ErrorData {
    tracing::error!("{error}");
    ErrorData::internal_error("the tools cannot be listed", None)
}
