//! The run of a task. It goes on without a listener, and ends with the task.

use std::sync::Arc;

use onionskin_core::event::{Event, EventKind};
use onionskin_core::question::{Answer, Paused};
use onionskin_core::run::{RunRequest, RunStream};
use onionskin_core::run_hooks::RunInput;
use onionskin_core::sessions::SessionError;
use onionskin_core::{CancellationToken, RunError, RunOutput, Session};

use super::pieces::Pieces;
use super::places::Place;
use super::task::TaskCell;
use super::{Inner, questions};
use crate::wire::{Part, TaskState};

/// What clients read of a run without an answer. What happened is in the log of the program.
const FAILED: &str = "The agent could not answer. The operator of the agent finds the reason in its log.";
const REFUSED: &str = "The agent does not answer this message.";
const EMPTY: &str = "The message is empty.";
const TOO_LONG: &str = "The answer of the agent is too long.";
const UNAVAILABLE: &str = "The conversation cannot be continued now. Try again later.";

/// What a turn of a task begins with.
pub(super) enum Start {
    Input(RunInput),
    Answers(Paused, Vec<(String, Answer)>),
}

/// Ends the task if its run ends in no other way: by a panic, or with the program.
struct Unfinished<'t>(&'t Inner, &'t TaskCell);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let state = self.1.state();
        if !state.is_at_rest() {
            tracing::error!(task = self.1.id, "the run of an A2A task ended without a result");
            self.1.end(TaskState::Failed, Some(vec![Part::text(FAILED)]), self.0.store.next());
        }
    }
}

/// Begins the run of a turn.
pub(super) fn start(
    server: Arc<Inner>,
    task: Arc<TaskCell>,
    start: Start,
    token: CancellationToken,
    place: Place,
) {
    tokio::spawn(async move {
        let end = Unfinished(&server, &task);
        run(&server, &task, start, token).await;
        drop(end);
        drop(place);
    });
}

async fn run(server: &Inner, task: &TaskCell, start: Start, token: CancellationToken) {
    task.work(server.store.next());
    let session = match session(server, task, &start).await {
        Ok(session) => session,
        Err(error) => {
            tracing::error!(task = task.id, %error, "the session of an A2A task cannot be opened");
            return task.end(TaskState::Failed, Some(vec![Part::text(UNAVAILABLE)]), server.store.next());
        }
    };
    let agent = &server.agent;
    let request = match start {
        Start::Input(input) => {
            let request = agent.request(input);
            match task.conversation.owner() {
                Some(user) => request.user(Arc::clone(user)),
                None => request,
            }
        }
        Start::Answers(paused, answers) => answers
            .into_iter()
            .fold(agent.resume(&paused), |request, (key, answer)| request.answer(key, answer)),
    };
    let request: RunRequest =
        request.session(&session).default_answerer(questions::decline_others).cancellation(token.clone());
    let mut pieces = Pieces::default();
    let Some(stream) = read(server, task, request.stream(), &mut pieces).await else {
        pieces.discard(task);
        return task.end(TaskState::Failed, Some(vec![Part::text(TOO_LONG)]), server.store.next());
    };
    finish(server, task, stream.output().await, pieces);
}

/// The session of the task. A run that waited in it has no task any more, so it is given up.
async fn session(server: &Inner, task: &TaskCell, start: &Start) -> Result<Session, SessionError> {
    let session = task.conversation.session(&server.agent).await?;
    if matches!(start, Start::Input(_)) && session.paused().is_some() {
        session.give_up().await?;
    }
    Ok(session.clone())
}

/// Shows the answer while it is written; `None` if it is too long.
async fn read(
    server: &Inner,
    task: &TaskCell,
    mut stream: RunStream,
    pieces: &mut Pieces,
) -> Option<RunStream> {
    loop {
        let due = pieces.due();
        let pause = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = pause => pieces.show(task),
            event = stream.next() => match event {
                // The value of a typed answer is shown as a whole.
                Some(event) if !server.is_typed => add(&event, pieces),
                Some(_) => {}
                None => return Some(stream),
            },
        }
        if pieces.bytes() > server.limits.answer_bytes {
            return None;
        }
    }
}

fn add(event: &Event, pieces: &mut Pieces) {
    if !event.is_outermost() {
        return;
    }
    match &event.kind {
        EventKind::TextDelta { text, .. } => pieces.push(text),
        EventKind::TurnStarted { .. } | EventKind::TurnRestarted { .. } => pieces.restart(),
        _ => {}
    }
}

fn finish(server: &Inner, task: &TaskCell, result: Result<RunOutput, RunError>, pieces: Pieces) {
    let number = server.store.next();
    let (state, text) = match result {
        Ok(output) if output.text.len() > server.limits.answer_bytes => (TaskState::Failed, TOO_LONG),
        Ok(output) => {
            pieces.finish(task, &output.text, server.is_typed);
            task.conversation.add_bytes(output.text.len());
            return task.end(TaskState::Completed, None, number);
        }
        Err(RunError::Paused(paused)) => {
            let question = questions::message(&paused);
            return task.ask(paused, question, number);
        }
        Err(RunError::Cancelled { .. }) => return task.end(TaskState::Canceled, None, number),
        Err(RunError::NoInput { .. }) => (TaskState::Rejected, EMPTY),
        Err(error @ (RunError::InputCheck { .. } | RunError::OutputCheck { .. })) => {
            tracing::info!(task = task.id, %error, "an agent refused the message of an A2A task");
            (TaskState::Rejected, REFUSED)
        }
        Err(error) => {
            tracing::error!(task = task.id, %error, "the run of an A2A task failed");
            (TaskState::Failed, FAILED)
        }
    };
    pieces.discard(task);
    task.end(state, Some(vec![Part::text(text)]), number);
}
