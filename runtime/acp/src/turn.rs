//! One prompt: the agent runs, the client sees the run and is asked its questions.

use std::sync::Arc;

use agent_client_protocol::v1::schema::StopReason;
use agent_client_protocol::{Error, ErrorCode};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use onionskin_core::model::StopReason as ModelStop;
use onionskin_core::question::{Answer, Question};
use onionskin_core::run::{Limit, RunRequest};
use onionskin_core::run_hooks::RunInput;
use onionskin_core::sessions::SessionError;
use onionskin_core::{AgentHandle, CancellationToken, RunError, RunOutput};
use tokio::sync::{mpsc, oneshot};

use crate::asking;
use crate::calls::CallIds;
use crate::conversations::{Conversation, PromptState};
use crate::open_questions::OpenQuestions;
use crate::updates::RunView;
use crate::view::View;

/// A prompt that runs.
pub(crate) struct Turn {
    pub(crate) agent: AgentHandle,
    pub(crate) user: Option<Arc<str>>,
    pub(crate) view: View,
    pub(crate) conversation: Arc<Conversation>,
    /// Whether the client shows forms.
    pub(crate) has_forms: bool,
    pub(crate) token: CancellationToken,
    /// The connection has ended.
    pub(crate) closed: CancellationToken,
}

impl Turn {
    /// Answers the prompt.
    ///
    /// # Errors
    /// Returns the protocol's error if the run fails.
    pub(crate) async fn run(self, input: RunInput) -> Result<StopReason, Error> {
        let mut state = self.conversation.turns.lock().await;
        self.conversation.give_up_cancelled(&mut state).await.map_err(|error| failure(&error))?;
        let PromptState { open, calls } = &mut *state;
        let request = match open.take() {
            None => self.agent.request(input),
            Some(mut questions) => {
                if let Err(problem) = questions.read(input.text()) {
                    self.view.say(format!("{problem}\n"));
                }
                if let Some(text) = questions.text() {
                    self.view.say(text);
                    *open = Some(questions);
                    return Ok(StopReason::EndTurn);
                }
                questions.resume(&self.agent)
            }
        };
        let result = self.follow(request, calls).await;
        let is_cancelled = self.token.is_cancelled();
        let end = match result {
            // In the second case, another process has asked.
            Err(
                RunError::Paused(paused)
                | RunError::Session { source: SessionError::Waits { paused, .. }, .. },
            ) if !is_cancelled => {
                *open = Some(OpenQuestions::new(paused));
                Ok(StopReason::EndTurn)
            }
            _ if is_cancelled => {
                // A client that has left may come back to the question.
                if !self.closed.is_cancelled() {
                    self.conversation.give_up().await.map_err(|error| failure(&error))?;
                }
                Ok(StopReason::Cancelled)
            }
            Ok(_) => Ok(StopReason::EndTurn),
            Err(error) => {
                // A resumed run of a stored session that fails waits again.
                *open = self.conversation.session.paused().map(OpenQuestions::new);
                self.stop_reason(&error)
            }
        };
        match open.as_ref().and_then(OpenQuestions::text) {
            Some(text) => self.view.say(text),
            None => calls.forget(),
        }
        end
    }

    /// Shows the run, and asks what it asks.
    async fn follow(&self, request: RunRequest, calls: &mut CallIds) -> Result<RunOutput, RunError> {
        let (sender, mut questions) =
            mpsc::unbounded_channel::<(Question, oneshot::Sender<Option<Answer>>)>();
        let answerer = move |question: Question| {
            let (reply, answer) = oneshot::channel();
            // If the run has ended, the question stays open.
            let _ = sender.send((question, reply));
            async move { answer.await.ok().flatten() }
        };
        let session = &self.conversation.session;
        let request = request.session(session).answerer(answerer).cancellation(self.token.clone());
        let request = match self.user.clone().or_else(|| session.user()) {
            Some(user) => request.user(user),
            None => request,
        };
        let mut run = request.stream();
        let mut shown = RunView::new(&self.view, calls);
        let mut asked = FuturesUnordered::new();
        let (mut is_closed, mut pauses) = (false, false);
        loop {
            tokio::select! {
                // The events that led to a question come before it.
                biased;
                event = run.next() => match event {
                    Some(event) => {
                        shown.show(&event);
                        // Others run on this thread, too.
                        tokio::task::consume_budget().await;
                        // A run waits for a client that reads slowly.
                        tokio::select! {
                            biased;
                            () = self.view.backlog.wait() => {}
                            () = self.token.cancelled() => {}
                            () = self.closed.cancelled() => {}
                        }
                    }
                    None => break,
                },
                Some((question, mut reply)) = questions.recv() => {
                    let call = shown.call(question.step().scope(), question.call_id());
                    let (view, has_forms) = (self.view.clone(), self.has_forms);
                    asked.push(async move {
                        let answer = tokio::select! {
                            answer = asking::ask(view, question, call, has_forms) => answer,
                            // The call has ended, for example at its time limit.
                            () = reply.closed() => None,
                        };
                        let is_open = answer.is_none();
                        let _ = reply.send(answer);
                        is_open
                    });
                }
                Some(is_open) = asked.next(), if !asked.is_empty() => pauses |= is_open,
                () = self.closed.cancelled(), if !is_closed => {
                    is_closed = true;
                    // A run that asks gets no answer any more, and pauses by itself.
                    if asked.is_empty() && !pauses {
                        self.token.cancel();
                    }
                }
            }
        }
        let output = run.output().await?;
        shown.end(&output.text);
        Ok(output)
    }

    /// Why a run that failed stopped, in the protocol's words.
    ///
    /// # Errors
    /// Returns the protocol's error if it has no word for it.
    fn stop_reason(&self, error: &RunError) -> Result<StopReason, Error> {
        let reason = if let RunError::Limit { limit, .. } = error {
            match limit {
                Limit::Tokens(_) => StopReason::MaxTokens,
                Limit::Turns(_) | Limit::Time(_) | Limit::Budget(_) | _ => StopReason::MaxTurnRequests,
            }
        } else if let RunError::Unfinished { stop, .. } = error {
            if *stop == ModelStop::Length { StopReason::MaxTokens } else { StopReason::Refusal }
        } else if let RunError::InputCheck { .. } | RunError::OutputCheck { .. } = error {
            StopReason::Refusal
        } else {
            return Err(failure(error));
        };
        self.view.say(format!("\n\n{error}\n"));
        Ok(reason)
    }
}

/// The protocol's error for a failure of the agent.
pub(crate) fn failure(error: &dyn std::error::Error) -> Error {
    Error::new(ErrorCode::INTERNAL_ERROR, error.to_string())
}
