//! What the requests of a run take from its budgets.

use std::io;
use std::sync::Arc;

use onionskin_tools::budget::{BudgetError, Held, Need};
use onionskin_tools::context::AbortCause;
use onionskin_tools::model::{ModelError, ModelResponse, Usage};
use tokio::sync::MutexGuard;

use crate::agent::error::run_error::RunError;

use super::measured::Measured;
use super::model_request::ModelCall;
use super::run::AgentRun;

/// A request in progress, and what it reserved.
pub(super) struct RequestSpending<'r> {
    held: Held,
    /// The name of the model in the usage.
    model: Arc<str>,
    estimate: Usage,
    bytes: u64,
    /// The next request of the run waits until this one is counted, so that its estimates do not add up.
    _turn: MutexGuard<'r, ()>,
}

impl RequestSpending<'_> {
    /// Notes the tokens that the model has reported so far.
    pub(super) fn report(&mut self, usage: Usage) {
        self.held.report(&self.model, usage);
    }
}

impl AgentRun {
    /// Reserves what a request is likely to spend: its input tokens, and the most output tokens that its parameters allow.
    ///
    /// # Errors
    /// Returns [`RunError::Limit`] if a budget has too little left. Another error also ends the runs above.
    pub(super) async fn reserve_request(
        &self,
        requested: ModelCall<'_>,
    ) -> Result<Option<RequestSpending<'_>>, RunError> {
        let turn = self.requests.lock().await;
        let request = requested.request;
        let mut bytes = CountedBytes(0);
        // What cannot be written as JSON is refused by the model.
        let _ = serde_json::to_writer(&mut bytes, request);
        let CountedBytes(bytes) = bytes;
        let input = Measured::estimate(self.tally().measured, bytes);
        let estimate = Usage::new(input, request.params.max_tokens.unwrap_or(0).into());
        let model = requested.billed_name(None);
        match self.cx.shared_budgets().reserve(Need::Request(&model, estimate)).await {
            Ok(held) => Ok(held.map(|mut held| {
                held.begin();
                RequestSpending { held, model, estimate, bytes, _turn: turn }
            })),
            Err(error) => {
                if !matches!(error, BudgetError::Exceeded(_)) {
                    self.cx.abort_for(AbortCause::Budget(error.clone()));
                }
                Err(RunError::budget(&self.instance.name, error))
            }
        }
    }

    /// Replaces a reservation by what the request spent. `billed` are the tokens of a request without an answer.
    pub(super) async fn finish_request(
        &self,
        spending: RequestSpending<'_>,
        answer: &Result<ModelResponse, ModelError>,
        billed: Usage,
    ) {
        let RequestSpending { held, model, estimate, bytes, _turn } = spending;
        let (model, usage) = match answer {
            Ok(response) => {
                let model = response.billed_as.as_deref().unwrap_or(&model);
                // Some servers report no tokens.
                let is_reported = response.usage.total() > 0;
                (model, if is_reported { response.usage } else { estimate })
            }
            Err(error) if error.can_be_billed() => return held.finish_unknown().await,
            Err(_) => (&*model, billed),
        };
        if answer.is_ok() && usage.input_tokens > 0 {
            self.tally().measured = Some(Measured { bytes, tokens: usage.input_tokens });
        }
        held.finish(Need::Request(model, usage)).await;
    }
}

/// Counts the bytes that are written.
struct CountedBytes(u64);

impl io::Write for CountedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
