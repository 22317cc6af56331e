//! Turn hooks as trait objects.

use futures_util::future::BoxFuture;

use super::call::TurnToolCall;
use super::completed::CompletedTurn;
use super::hook::TurnHook;
use super::request::TurnRequest;
use onionskin_definitions::error::BoxError;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{ModelResponse, ToolResultMessage};
use onionskin_tools::onion::{at_place, short_name};
use onionskin_tools::services::ServiceTypes;

type Done<'a, T> = BoxFuture<'a, Result<T, BoxError>>;

/// A [`TurnHook`] as a trait object.
pub(crate) trait DynTurnHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    fn services_dyn(&self, taken: &mut ServiceTypes);

    fn before_llm_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut TurnRequest,
    ) -> Done<'a, Option<ModelResponse>>;

    fn after_llm_dyn<'a>(&'a self, run: &'a RunContext, response: &'a mut ModelResponse) -> Done<'a, ()>;

    fn before_tool_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a mut TurnToolCall,
    ) -> Done<'a, Option<ToolOutput>>;

    fn after_tool_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a TurnToolCall,
        result: &'a mut ToolResultMessage,
    ) -> Done<'a, ()>;

    fn after_turn_dyn<'a>(&'a self, run: &'a RunContext, turn: &'a CompletedTurn) -> Done<'a, ()>;
}

impl<H: TurnHook> DynTurnHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        H::services(taken);
    }

    fn before_llm_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut TurnRequest,
    ) -> Done<'a, Option<ModelResponse>> {
        Box::pin(at_place::<H, _, _>("before_llm_call", self.before_llm_call(run, request)))
    }

    fn after_llm_dyn<'a>(&'a self, run: &'a RunContext, response: &'a mut ModelResponse) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>("after_llm_call", self.after_llm_call(run, response)))
    }

    fn before_tool_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a mut TurnToolCall,
    ) -> Done<'a, Option<ToolOutput>> {
        Box::pin(at_place::<H, _, _>("before_tool_call", self.before_tool_call(run, call)))
    }

    fn after_tool_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a TurnToolCall,
        result: &'a mut ToolResultMessage,
    ) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>("after_tool_call", self.after_tool_call(run, call, result)))
    }

    fn after_turn_dyn<'a>(&'a self, run: &'a RunContext, turn: &'a CompletedTurn) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>("after_turn_complete", self.after_turn_complete(run, turn)))
    }
}
