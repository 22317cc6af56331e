//! [`TurnHook`]: the trait of turn hooks.

use std::future::Future;

use super::call::TurnToolCall;
use super::completed::CompletedTurn;
use super::request::TurnRequest;
use crate::places::hooks;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::model::{ModelResponse, ToolResultMessage};

hooks! {
    /// Code around the turns of an agent: see the [module](crate::turn_hooks) for its order and its errors. By default all methods do
    /// nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::model::ModelResponse;
    /// use onionskin::servers::BoxError;
    /// use onionskin::turn_hooks::{TurnHook, TurnRequest};
    /// use onionskin::{RunContext, ScriptedModel, ScriptedTurn, agent, made};
    ///
    /// /// Asks for a short answer in each turn.
    /// #[derive(Default)]
    /// struct Short;
    ///
    /// impl TurnHook for Short {
    ///     type Made = made::ByDefault;
    ///
    ///     async fn before_llm_call(
    ///         &self,
    ///         _run: &RunContext,
    ///         request: &mut TurnRequest,
    ///     ) -> Result<Option<ModelResponse>, BoxError> {
    ///         request.params_mut().max_tokens = Some(100);
    ///         Ok(None)
    ///     }
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer.", turn_hooks: [Short] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("Yes.")]));
    /// Clerk::builder().model(Arc::clone(&model)).run("Hello.").await.unwrap();
    /// assert_eq!(model.requests()[0].params.max_tokens, Some(100));
    /// # });
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a turn hook",
        label = "not a turn hook",
        note = "write `#[turn_hook(before_llm_call)]` on the function, or another of the five, and name the function here, or implement \
                `TurnHook` for the type",
        note = "a hook around tool calls, `#[tool_hook]`, belongs in `tool_hooks`, one around runs, `#[run_hook]`, in `run_hooks`, one on \
                messages, `#[message_hook]`, in `message_hooks`",
        note = "`name` alone is the function itself: pass `name::new(..)` to `.turn_hook(..)`"
    )]
    pub trait TurnHook, DynTurnHook {
        constants {
            /// The name of the method that it implements, if it implements only one. `#[turn_hook]` sets it,
            /// and a card that names the hook at another place is refused.
            PLACE: Option<&'static str> = None;
        }

        places {
            /// Runs before the model is asked. It may change the request, for this turn only. If it returns
            /// an answer, the model is not asked, and later hooks do not run at this place.
            ///
            /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
            ///
            /// # Errors
            /// Any error ends the run.
            "before_llm_call" before_llm_call(request: &'a mut TurnRequest) -> Option<ModelResponse> = None;

            /// Runs on the answer of the model, or of a hook, before it enters the conversation. It may change the text and the calls.
            ///
            /// Cancel safety: as [`Self::before_llm_call`].
            ///
            /// # Errors
            /// Any error ends the run.
            "after_llm_call" after_llm_call(response: &'a mut ModelResponse) -> () = ();

            /// Runs before a tool call of the model, outside all tool hooks. It may change the name and the
            /// arguments. If it returns an output, that is the result of the call: neither tool hooks nor the
            /// tool run, and later hooks do not run at this place. The call counts towards
            /// [`Limits::tool_calls`](crate::declaration::Limits::tool_calls); beyond the limit it is refused
            /// despite the output.
            ///
            /// Cancel safety: as [`Self::before_llm_call`].
            ///
            /// # Errors
            /// Any error ends the run.
            "before_tool_call" before_tool_call(call: &'a mut TurnToolCall) -> Option<ToolOutput> = None;

            /// Runs on the result of a call, when all calls of the turn have ended. It may change what the model reads.
            ///
            /// Cancel safety: as [`Self::before_llm_call`].
            ///
            /// # Errors
            /// Any error ends the run.
            "after_tool_call" after_tool_call(call: &'a TurnToolCall, result: &'a mut ToolResultMessage) -> () = ();

            /// Runs when the answer and the results of its calls are in the conversation.
            ///
            /// Cancel safety: as [`Self::before_llm_call`].
            ///
            /// # Errors
            /// Any error ends the run.
            "after_turn_complete" after_turn_complete(turn: &'a CompletedTurn) -> () = ();
        }
    }
}
