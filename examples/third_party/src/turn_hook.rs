//! A hook around the turns of an agent.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::model::{BoxModel, ModelRequest, ModelResponse, ToolResultMessage};
use onionskin_core::turn_hooks::{BoxError, CompletedTurn, TurnHook, TurnRequest, TurnToolCall};
use onionskin_core::{RunContext, ToolOutput, made};

/// Offers no payments once a number of tokens is spent, answers questions about the rates of one currency by itself, and counts the
/// turns. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Thrift {
    most: u64,
    spent: Arc<Mutex<(u32, u64)>>,
}

impl Thrift {
    /// With this number of tokens for payments.
    pub fn new(most: u64) -> Self {
        Self { most, spent: Arc::default() }
    }

    /// The turns and tokens so far.
    pub fn spent(&self) -> (u32, u64) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnHook for Thrift {
    type Made = made::AtRunTime;

    async fn before_llm_call(
        &self,
        _run: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        if self.spent().1 >= self.most {
            let others: Vec<_> =
                request.tools().filter(|tool| *tool != "transfer").map(str::to_owned).collect();
            request.only_tools(others)?;
        }
        Ok(None)
    }

    async fn before_tool_call(
        &self,
        _run: &RunContext,
        call: &mut TurnToolCall,
    ) -> Result<Option<ToolOutput>, BoxError> {
        Ok((call.name() == "rates__eur").then(|| ToolOutput::text("euros are euros")))
    }

    async fn after_tool_call(
        &self,
        _run: &RunContext,
        call: &TurnToolCall,
        result: &mut ToolResultMessage,
    ) -> Result<(), BoxError> {
        if result.is_error {
            let note = format!("({} failed in turn {})", call.name(), call.turn());
            result.content = result.content.iter().cloned().chain([note.into()]).collect();
        }
        Ok(())
    }

    async fn after_turn_complete(&self, _run: &RunContext, turn: &CompletedTurn) -> Result<(), BoxError> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = (spent.0 + 1, spent.1 + turn.usage().total());
        Ok(())
    }
}

/// Asks another model, once a run, what the customer wants, and puts it before the system prompt.
#[derive(Debug, Clone)]
pub struct Gist {
    model: BoxModel,
}

impl Gist {
    /// Asks this model.
    pub fn new(model: BoxModel) -> Self {
        Self { model }
    }
}

impl TurnHook for Gist {
    type Made = made::AtRunTime;

    async fn before_llm_call(
        &self,
        _run: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        if request.turn() == 1 {
            let question = ModelRequest::new(request.messages().clone());
            let question = question.with_system("What does the customer want? Answer in one line.");
            let gist = request.ask_other_model(&self.model, question).await?.text;
            request.set_system(format!("{gist}\n\n{}", request.system().unwrap_or_default()));
        }
        Ok(None)
    }
}
