//! What the requests of a run take from its budgets.

use std::io;
use std::sync::Arc;

use onionskin_tools::budget::{BudgetError, Held, Need};
use onionskin_tools::context::AbortCause;
use onionskin_tools::model::{Model as _, ModelError, ModelResponse, Usage};

use crate::agent::error::run_error::RunError;

use super::measured::Measured;
use super::model_request::ModelCall;
use super::run::AgentRun;

/// A request in progress, and what it reserved.
pub(super) struct RequestSpending {
    held: Held,
    /// The name of the model in the usage.
    model: Arc<str>,
    estimate: Usage,
    bytes: u64,
}

impl AgentRun {
    /// Reserves what a request is likely to spend: its input tokens, and the most output tokens that its parameters allow.
    ///
    /// # Errors
    /// Returns [`RunError::Limit`] if a budget has too little left. Another error also ends the runs above.
    pub(super) async fn reserve_request(
        &self,
        requested: ModelCall<'_>,
    ) -> Result<Option<RequestSpending>, RunError> {
        let ModelCall { request, model, .. } = requested;
        let mut bytes = CountedBytes(0);
        // What cannot be written as JSON is refused by the model.
        let _ = serde_json::to_writer(&mut bytes, request);
        let CountedBytes(bytes) = bytes;
        let input = Measured::estimate(self.tally().measured, bytes);
        let estimate = Usage::new(input, request.params.max_tokens.unwrap_or(0).into());
        let model: Arc<str> = model.identity(request.model.as_deref()).billed_name().into();
        match self.cx.shared_budgets().reserve(Need::Request(&model, estimate)).await {
            Ok(held) => Ok(held.map(|held| RequestSpending { held, model, estimate, bytes })),
            Err(error) => {
                if !matches!(error, BudgetError::Exceeded(_)) {
                    self.cx.abort_for(AbortCause::Budget(error.clone()));
                }
                Err(RunError::budget(&self.instance.name, error))
            }
        }
    }

    /// Replaces a reservation by what the request spent. `billed` are the tokens of a request without an answer. If the
    /// store fails, the run ends; the answer stays, so that a replay does not ask again.
    pub(super) async fn finish_request(
        &self,
        spending: RequestSpending,
        answer: &Result<ModelResponse, ModelError>,
        billed: Usage,
    ) {
        let RequestSpending { held, model, estimate, bytes } = spending;
        let (model, usage) = match answer {
            Ok(response) => {
                let model = response.billed_as.as_deref().unwrap_or(&model);
                // Some servers report no tokens.
                let is_reported = response.usage.total() > 0;
                (model, if is_reported { response.usage } else { estimate })
            }
            Err(_) => (&*model, billed),
        };
        if answer.is_ok() && usage.input_tokens > 0 {
            self.tally().measured = Some(Measured { bytes, tokens: usage.input_tokens });
        }
        if let Err(error) = held.finish(Need::Request(model, usage)).await {
            self.cx.abort_for(AbortCause::Budget(error));
        }
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
