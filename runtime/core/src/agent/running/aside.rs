//! Asks models outside the conversation: the questions of turn hooks, and those of the parser.

use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use onionskin_definitions::definition::Effect;
use onionskin_tools::journal::{StepKind, StepRef, fingerprint};
use onionskin_tools::model::{BoxModel, ModelError, ModelRequest, ModelResponse, RedactedRequests};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::agent::error::run_error::RunError;
use crate::turn_hook::Aside;

use super::model_request::ModelCall;
use super::run::AgentRun;

impl AgentRun {
    /// Runs the hooks of a turn, and answers their questions meanwhile.
    ///
    /// # Errors
    /// Returns the error of the hooks, or a limit that a question reaches.
    pub(super) async fn answer_asides<T>(
        &self,
        turn: u32,
        hooks: impl Future<Output = Result<T, RunError>>,
        mut requested: UnboundedReceiver<Aside>,
    ) -> Result<T, RunError> {
        let mut hooks = pin!(hooks);
        let (mut questions, mut number) = (FuturesUnordered::new(), 0);
        loop {
            tokio::select! {
                biased;
                done = &mut hooks => return done,
                Some(aside) = requested.recv() => {
                    number += 1;
                    questions.push(self.answer_aside(turn, number, aside));
                }
                Some(done) = questions.next() => done?,
            }
        }
    }

    /// Answers one question, unless the hook drops it meanwhile.
    async fn answer_aside(&self, turn: u32, number: u32, aside: Aside) -> Result<(), RunError> {
        let Aside { request, model, mut answer } = aside;
        let model = model.unwrap_or_else(|| self.model().clone());
        let step = StepRef { attempt: number, ..self.step(turn, StepKind::Aside) };
        let answered = {
            let mut requested = pin!(self.ask_aside(step, request, &model));
            tokio::select! {
                biased;
                () = answer.closed() => return Ok(()),
                answered = &mut requested => answered?,
            }
        };
        // The hook may have dropped the question meanwhile.
        let _ = answer.send(answered);
        Ok(())
    }
}

impl AgentRun {
    /// Asks a model as one step of the run.
    ///
    /// # Errors
    /// The outer error ends the run. The inner one is the model's.
    pub(super) async fn ask_aside(
        &self,
        step: StepRef<'_>,
        mut request: ModelRequest,
        model: &BoxModel,
    ) -> Result<Result<ModelResponse, ModelError>, RunError> {
        if let Some(limit) = self.limits().before_turn(0, self.tally().usage.total()) {
            return Err(self.limit(limit));
        }
        if let Err(error) = request.params.check(model, request.model.as_deref()) {
            return Ok(Err(error));
        }
        request.agent = Arc::clone(&self.instance.name);
        self.cx.set_ids(&mut request, step.to_id());
        if let Some(redactor) = self.cx.concealed().redactor() {
            RedactedRequests::default().redact(redactor, &mut request);
        }
        let hash = || (Effect::Pure, fingerprint(&request));
        let requested = ModelCall {
            turn: step.turn,
            request: &request,
            model,
            table: None,
            answer_tool: None,
            change: None,
        };
        // One step for all attempts, as for a turn.
        let answer = self.cx.step(step, hash, async || self.ask_until_answered(requested).await).await;
        match answer {
            Ok(response) => {
                let mut tally = self.tally();
                tally.usage += response.usage;
                tally.aside_usage.add(requested.billed_name(response.billed_as.as_deref()), response.usage);
                Ok(Ok(response))
            }
            Err(RunError::Model { source, .. }) => Ok(Err(source)),
            Err(error) => Err(error),
        }
    }
}
