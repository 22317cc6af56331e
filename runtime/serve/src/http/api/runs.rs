//! Runs of agents, and their sessions.

use std::sync::Arc;

use axum::response::Response;
use hmac_sha256::Hash;
use http::StatusCode;
use onionskin_core::run::RunRequest;
use onionskin_core::sessions::SessionError;
use onionskin_core::{AgentHandle, RunError, Session, ToolOutput};
use serde_json::{Value, json};

use super::super::responses::{Refusal, unavailable};
use super::accept::{AnswerForm, answer_form};
use super::forms::{AnswerBody, RunBody, completed, message, waiting};
use super::input::call;
use super::problems::Problem;
use super::schemas::MAX_SESSION_ID;
use super::{Api, Entered, json_answer, read, stream};
use crate::calls::RunningCall;
use crate::client::Client;
use crate::parts::Parts;
use crate::question::names;
use crate::state::{Binding, StateError, hex, new_id};
use crate::user::User;

/// Runs an agent.
///
/// # Errors
/// Returns the refusal of a request that is none, or the problem of the run.
pub(super) async fn run(api: &Arc<Api>, name: &str, entered: Entered) -> Result<Response, Refusal> {
    let (agent, form) = (&api.agent(name)?, answer_form(&entered.head.headers)?);
    let RunBody { input, session } = read(&entered)?;
    let request = call(agent, input).map_err(|error| Problem::Invalid.refuse(error.to_text()))?;
    let id = new_id().map_err(|_| unavailable("the server cannot make an id"))?;
    let request = in_session(agent, session.as_deref(), &entered, request.run_id(id.as_str())).await?;
    let call = place(api, &entered)?;
    begin(api, agent, request, id, entered, form, call).await
}

/// Continues a run with answers.
///
/// # Errors
/// As [`run`]; also if the state or an answer does not belong to the run.
pub(super) async fn answer(api: &Arc<Api>, name: &str, entered: Entered) -> Result<Response, Refusal> {
    let (agent, form) = (&api.agent(name)?, answer_form(&entered.head.headers)?);
    let AnswerBody { state, answers, session } = read(&entered)?;
    let binding = binding(&api.parts, agent, entered.user.as_ref());
    let invalid = |error: StateError| Problem::Conflict.refuse(error.to_string());
    let opened = api.parts.states.open(&state, &binding).map_err(invalid)?;
    if opened.paused.has_session() && session.is_none() {
        return Err(Problem::Invalid.refuse("the run waits in a session: send its id as `session`"));
    }
    let names = names(opened.paused.questions());
    if let Some(unknown) = answers.keys().find(|name| !names.contains(name)) {
        let message =
            format!("the run has no question `{}`; its questions are: {}", unknown, names.join(", "));
        return Err(Problem::Invalid.refuse(message));
    }
    let mut request = agent.resume_call(&opened.paused);
    for (question, name) in opened.paused.questions().iter().zip(&names) {
        if let Some(answer) = answers.get(name) {
            let wrong = |error: onionskin_core::question::AnswerError| {
                Problem::Invalid.refuse(format!("`{name}`: {error}"))
            };
            question.check(answer).map_err(wrong)?;
            request = request.answer(question.key(), answer.clone());
        }
    }
    let request = in_session(agent, session.as_deref(), &entered, request).await?;
    // The state is used last: a request that is refused can be sent again.
    let call = place(api, &entered)?;
    api.parts.states.use_up(&opened, &binding).map_err(invalid)?;
    let id = opened.paused.run_id().to_owned();
    begin(api, agent, request, id, entered, form, call).await
}

/// A place among the calls in progress.
fn place(api: &Api, entered: &Entered) -> Result<RunningCall, Refusal> {
    let call = api.calls.begin(entered.user.as_ref().map(User::id));
    call.ok_or_else(|| unavailable("the server has too many calls, or ends"))
}

/// What a state of an agent's run belongs to.
fn binding(parts: &Parts, agent: &AgentHandle, user: Option<&User>) -> Binding {
    Binding::new(&parts.implementation.name, user.map(User::id), "runs", agent.name(), &Value::Null)
}

async fn in_session(
    agent: &AgentHandle,
    session: Option<&str>,
    entered: &Entered,
    request: RunRequest<ToolOutput>,
) -> Result<RunRequest<ToolOutput>, Refusal> {
    match session {
        Some(id) => Ok(request.session(&open(agent, id, entered).await?)),
        None => Ok(request),
    }
}

/// Opens a session of the user. The store has it under the agent and the user, so nobody reaches the session of another user, or one that
/// the program made.
async fn open(agent: &AgentHandle, id: &str, entered: &Entered) -> Result<Session, Refusal> {
    if !(1..=MAX_SESSION_ID).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("a session id has 1 to {MAX_SESSION_ID} visible ASCII characters");
        return Err(Problem::Invalid.refuse(message));
    }
    let user =
        entered.user.as_ref().map_or_else(|| "-".to_owned(), |user| hex(&Hash::hash(user.id().as_bytes())));
    let opened = agent.open_session(format!("http/{}/{user}/{id}", agent.name())).await;
    opened.map_err(|error| session_problem(&error))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are of the inside")]
fn session_problem(error: &SessionError) -> Refusal {
    match error {
        SessionError::NotStored { .. } => {
            Problem::Invalid.refuse("this agent has no stored sessions: leave `session` out")
        }
        SessionError::Waits { .. } => {
            Problem::Conflict.refuse("a run of the session waits for answers: `GET` the session, and answer")
        }
        error => {
            tracing::error!("a session of the plain HTTP interface cannot be used: {error}");
            Problem::Failed.refuse("the session cannot be used")
        }
    }
}

/// Begins the run, and answers with its end or with its events.
async fn begin(
    api: &Arc<Api>,
    agent: &AgentHandle,
    request: RunRequest<ToolOutput>,
    id: String,
    entered: Entered,
    form: AnswerForm,
    call: RunningCall,
) -> Result<Response, Refusal> {
    let user = entered.user;
    let mut client = Client { user: user.clone(), ..Client::default() };
    client.set_headers(&entered.head.headers);
    let request = match &user {
        Some(user) => request.user(user.id()),
        None => request,
    };
    let request = request.offer(client).cancellation(api.ended.child_token());
    let request = request.stop_between_turns(api.calls.stop());
    if form == AnswerForm::Events {
        return stream::answer(api, agent, request, &id, user, call);
    }
    let ended = request.run().await;
    drop(call);
    let (status, run) = end(api, agent, user.as_ref(), &id, ended)?;
    Ok(json_answer(status, &run))
}

/// The end of a run as JSON.
///
/// # Errors
/// Returns the problem of a run without an answer.
pub(super) fn end(
    api: &Api,
    agent: &AgentHandle,
    user: Option<&User>,
    id: &str,
    ended: Result<ToolOutput, RunError>,
) -> Result<(StatusCode, Value), Refusal> {
    match ended {
        Ok(output) => Ok((StatusCode::OK, completed(id, &output))),
        Err(RunError::Paused(paused)) => {
            let sealed = api.parts.states.seal(&paused, &binding(&api.parts, agent, user));
            let state = sealed.map_err(|error| {
                tracing::error!("the state of a run cannot be sealed: {error}");
                Problem::Failed.refuse("the run cannot wait for an answer")
            })?;
            Ok((StatusCode::OK, waiting(id, &paused, &state)))
        }
        Err(RunError::Session { source, .. }) => Err(session_problem(&source)),
        Err(RunError::Limit { limit, .. }) => {
            Err(Problem::Invalid.refuse(format!("the run reached its limit of {limit}")))
        }
        Err(RunError::NoInput { .. }) => Err(Problem::Invalid.refuse("the input is empty")),
        Err(RunError::InputCheck { .. }) => Err(Problem::Invalid.refuse("the input was refused")),
        Err(RunError::Cancelled { .. }) if api.calls.is_ending() => Err(unavailable("the server ends")),
        Err(RunError::Cancelled { .. }) => Err(Problem::Conflict.refuse("the run was cancelled")),
        Err(failure) => {
            tracing::error!(run = id, "a run of the plain HTTP interface failed: {failure}");
            let message = format!("the run failed. The server's log has the reason under `{id}`.");
            Err(Problem::Failed.refuse(message))
        }
    }
}

/// A stored session: its messages, and the questions of a run that waits.
///
/// # Errors
/// Returns a problem if there is no such session of the user.
pub(super) async fn session(
    api: &Arc<Api>,
    name: &str,
    id: &str,
    entered: &Entered,
) -> Result<Response, Refusal> {
    let agent = &api.agent(name)?;
    let session = open(agent, id, entered).await?;
    let history = session.history();
    if history.is_empty() && session.paused().is_none() {
        return Err(Problem::NotFound.refuse("there is no such session"));
    }
    let messages: Vec<_> = history.iter().filter_map(message).collect();
    let mut answer = json!({ "id": id, "messages": messages });
    if let Some(paused) = session.paused() {
        let run =
            end(api, agent, entered.user.as_ref(), paused.run_id(), Err(RunError::Paused(paused.clone())));
        answer["waiting"] = run?.1;
    }
    Ok(json_answer(StatusCode::OK, &answer))
}
