//! Calls that go on as tasks, in this process and, with a journal, in the next one.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onionskin_core::journal::{JournalError, store_value, stored_value};
use onionskin_core::question::Paused;
use onionskin_core::run::{RunRequest, ToolCallStream};
use onionskin_core::{AgentHandle, Args, CancellationToken, RunError, ToolOutput};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, DetailedTask, InputResponses, JsonObject, Task, TaskPayload};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asking::{ByClient, Problems, answers, checked, input_requests, missing_capabilities};
use super::call::Place;
use super::client::Requester;
use super::{reports, result};
use crate::calls::RunningCall;
use crate::client::Client;
use crate::offer::Target;
use crate::question::names;
use crate::tasks::{Missing, TTL, Tasks};

/// The names under which the journal of an agent keeps the call of a task, and that it was cancelled.
const CALL: &str = "served call";
const CANCELLED: &str = "cancelled";

/// The call of a task, as a journal keeps it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begun {
    tool: String,
    arguments: Value,
    user: Option<String>,
    /// Seconds since 1970.
    at: u64,
}

impl Begun {
    pub(super) fn new(tool: &str, arguments: &Value, user: Option<&str>) -> Self {
        let (tool, arguments, user) = (tool.to_owned(), arguments.clone(), user.map(str::to_owned));
        Self { tool, arguments, user, at: now() }
    }
}

/// A call that goes on as a task.
pub(super) struct Work {
    tasks: Arc<Tasks>,
    agent: AgentHandle,
    /// Whether the call is the run of the agent.
    is_agent: bool,
    tool: String,
    /// The id of the task and of the run.
    id: String,
    client: Client,
    /// Ends the run between two turns, when the server ends.
    stop: CancellationToken,
}

impl Work {
    pub(super) fn new(place: Place<'_>, target: &Target<'_>, tool: &str, id: &str, client: Client) -> Self {
        Self {
            tasks: Arc::clone(&place.parts.tasks),
            agent: target.agent().clone(),
            is_agent: matches!(target, Target::Agent(_)),
            tool: tool.to_owned(),
            id: id.to_owned(),
            client,
            stop: place.calls.stop(),
        }
    }

    /// Makes the task, which a client can ask for from now on, also after a restart if there is a journal. `None` if there are too many
    /// tasks, or if the journal fails: the call stays a call.
    pub(super) async fn announce(&self, begun: &Begun) -> Option<(Task, CancellationToken)> {
        let (task, cancel) = self.tasks.add(&self.id, self.client.user())?;
        if let Some(journal) = self.agent.journal()
            && let Err(error) = store_value(journal, &self.id, CALL, begun).await
        {
            tracing::error!("a call cannot go on as a task: {error}");
            self.tasks.remove(&self.id);
            return None;
        }
        Some((task, cancel))
    }

    /// Runs to the end of the task. One that the end of the server stops has no end here: the next process may continue it.
    pub(super) async fn run(
        self,
        mut stream: ToolCallStream,
        running: RunningCall,
        cancel: CancellationToken,
    ) {
        let (mut running, mut problems) = (running, Problems::new());
        let ended = cancel.run_until_cancelled(async {
            loop {
                while let Some(event) = stream.next().await {
                    if let Some(step) = reports::step(&event, self.is_agent) {
                        self.tasks.note(&self.id, step);
                    }
                }
                let paused = match stream.output().await {
                    Ok(output) => return Some(payload(result::complete(&output))),
                    Err(RunError::Paused(paused)) => paused,
                    Err(RunError::Cancelled { .. }) if self.stop.is_cancelled() => return None,
                    Err(failure) => return Some(payload(result::failed(&self.tool, &failure, &self.id))),
                };
                // While it waits it is no call in progress.
                drop(running);
                match self.answered(&paused, &mut problems).await {
                    Ok((request, again)) => (stream, running) = (request.stream(), again),
                    Err(error) => return Some(payload(Err(error))),
                }
            }
        });
        if let Some(payload) = ended.await.unwrap_or(Some(TaskPayload::Cancelled)) {
            self.tasks.end(&self.id, payload);
        }
    }

    /// Waits for the answers of the client. Those that do not fit are left out, so that it is asked again.
    async fn answered(
        &self,
        paused: &Paused,
        problems: &mut Problems,
    ) -> Result<(RunRequest<ToolOutput>, RunningCall), ErrorData> {
        if let Some(missing) = missing_capabilities(paused, &self.client) {
            return Err(ErrorData::missing_required_client_capability(missing));
        }
        let names = names(paused.questions()).into_iter().map(|name| self.tasks.new_name(&self.id, name));
        let names: Vec<_> = names.collect();
        let requests = input_requests(paused, &names, problems)?;
        let cancelled = || result::cancelled(&self.tool);
        let answered = self.tasks.wait(&self.id, requests).ok_or_else(cancelled)?;
        let (responses, running) = answered.await.map_err(|_| cancelled())?;
        let request = self.agent.resume_call(paused);
        let (answers, wrong) = answers(paused, &names, &responses);
        *problems = wrong;
        let request = answers.into_iter().fold(request, |request, (key, answer)| request.answer(key, answer));
        Ok((self.with_client(request), running))
    }

    /// A request of this client, whom only a task asks.
    fn with_client(&self, request: RunRequest<ToolOutput>) -> RunRequest<ToolOutput> {
        let request = match self.client.user() {
            Some(user) => request.user(user.id()),
            None => request,
        };
        let request = request.offer(self.client.clone()).default_answerer(ByClient::Nobody);
        request.stop_between_turns(self.stop.clone())
    }
}

/// The end of a task. A tool error is a result; only an error of the protocol is a failure.
fn payload(ended: Result<CallToolResult, ErrorData>) -> TaskPayload {
    let object = |value: Result<Value, serde_json::Error>| match value {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    };
    match ended {
        Ok(result) => TaskPayload::Completed { result: object(serde_json::to_value(result)) },
        Err(error) => TaskPayload::Failed { error: object(serde_json::to_value(error)) },
    }
}

/// The state of a task.
///
/// # Errors
/// Returns an error if the user has no such task.
pub(super) async fn get(
    place: Place<'_>,
    requester: &Requester,
    id: &str,
) -> Result<DetailedTask, ErrorData> {
    restore(place, requester, id).await?;
    place.parts.tasks.get(id, requester.client.user()).ok_or_else(unknown)
}

/// Gives a task the responses of its client.
///
/// # Errors
/// Returns an error if the user has no such task, or if it cannot continue now.
pub(super) async fn update(
    place: Place<'_>,
    requester: &Requester,
    id: &str,
    responses: InputResponses,
) -> Result<(), ErrorData> {
    let responses = checked(Some(responses))?;
    restore(place, requester, id).await?;
    let user = requester.client.user();
    let begin = || place.calls.begin(user.map(crate::User::id));
    place.parts.tasks.answer(id, user, responses, begin).map_err(|missing| match missing {
        Missing::Unknown => unknown(),
        Missing::Busy => super::call::busy(),
    })
}

/// Cancels a task.
///
/// # Errors
/// Returns an error if the user has no such task.
pub(super) async fn cancel(place: Place<'_>, requester: &Requester, id: &str) -> Result<(), ErrorData> {
    restore(place, requester, id).await?;
    let was_running = place.parts.tasks.cancel(id, requester.client.user()).ok_or_else(unknown)?;
    if was_running {
        // So that no later process continues it.
        let offer = place.parts.offer();
        for agent in offer.sources.iter().map(crate::offer::Source::agent) {
            if let Some(journal) = agent.journal()
                && stored_value::<Begun>(journal, id, CALL)
                    .await
                    .map_err(|error| unreadable(&error))?
                    .is_some()
            {
                store_value(journal, id, CANCELLED, &true).await.map_err(|error| unreadable(&error))?;
            }
        }
    }
    Ok(())
}

/// Continues a task that an earlier process began, if a journal has it.
async fn restore(place: Place<'_>, requester: &Requester, id: &str) -> Result<(), ErrorData> {
    let (parts, user) = (place.parts, requester.client.user());
    if id.len() > MAX_ID || parts.tasks.get(id, user).is_some() {
        return Ok(());
    }
    let _one = parts.tasks.restoring.lock().await;
    if parts.tasks.is_known(id) {
        return Ok(());
    }
    let offer = parts.offer();
    for agent in offer.sources.iter().map(crate::offer::Source::agent) {
        let Some(journal) = agent.journal() else { continue };
        let begun = stored_value::<Begun>(journal, id, CALL).await.map_err(|error| unreadable(&error))?;
        let Some(begun) = begun.filter(|begun| begun.user.as_deref() == user.map(crate::User::id)) else {
            continue;
        };
        if Duration::from_secs(now().saturating_sub(begun.at)) >= TTL {
            return Ok(());
        }
        let target = offer.find(&begun.tool).map_err(|error| super::call::unlisted(&error))?;
        let Some(target) = target.filter(|target| target.agent().name() == agent.name()) else {
            return Ok(());
        };
        let was_cancelled =
            stored_value::<bool>(journal, id, CANCELLED).await.map_err(|error| unreadable(&error))?;
        let work = Work::new(place, &target, &begun.tool, id, requester.client.clone());
        let request = target.call(&begun.tool, Args::from(begun.arguments)).map_err(|_| unknown())?;
        let running = place.begin(requester)?;
        let Some((_, cancel)) = parts.tasks.add(id, user) else { return Err(super::call::busy()) };
        if was_cancelled.is_some() {
            parts.tasks.cancel(id, user);
            return Ok(());
        }
        let stream = work.with_client(request.run_id(id)).stream();
        tokio::spawn(work.run(stream, running, cancel));
        return Ok(());
    }
    Ok(())
}

/// The maximum number of bytes of an id. Those of this server are shorter.
const MAX_ID: usize = 64;

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}

fn unreadable(error: &JournalError) -> ErrorData {
    tracing::error!("the journal of tasks cannot be used: {error}");
    ErrorData::internal_error("the tasks of this server cannot be read now: try again later", None)
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
