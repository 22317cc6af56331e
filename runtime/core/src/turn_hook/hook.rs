//! A turn hook implements `TurnHook`.

use std::future::Future;
use std::sync::Arc;

use super::call::TurnToolCall;
use super::completed::CompletedTurn;
use super::request::TurnRequest;
use onionskin_definitions::error::BoxError;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{ModelResponse, ToolResultMessage};
use onionskin_tools::onion::{Absent, InArc, MadeBy};
use onionskin_tools::services::ServiceTypes;

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
    note = "the function's name is the function; for `.turn_hook(..)`, write `name::new()`, with the hook's configuration in the \
            parentheses"
)]
pub trait TurnHook: Send + Sync + Sized + 'static {
    /// How lists construct the hook, and which state it works on: a type of [`made`](crate::made), as for
    /// [`Hook::Made`](crate::Hook::Made).
    type Made: MadeBy<Self>;

    /// The name of the method that it implements, if it is one only. `#[turn_hook]` writes it, and a card that names the hook at another
    /// place is refused.
    const PLACE: Option<&'static str> = None;

    /// Runs before the model is asked. It may change the request, for this turn only. If it returns an answer, the model is not asked,
    /// and the hooks after it do not run at this place.
    ///
    /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
    ///
    /// # Errors
    /// Any error ends the run.
    fn before_llm_call<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut TurnRequest,
    ) -> impl Future<Output = Result<Option<ModelResponse>, BoxError>> + Send + 'a {
        let _ = (run, request);
        Absent::new(Ok(None))
    }

    /// Runs on the answer of the model, or of a hook, before it enters the conversation. It may change the text and the calls.
    ///
    /// Cancel safety: as [`Self::before_llm_call`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn after_llm_call<'a>(
        &'a self,
        run: &'a RunContext,
        response: &'a mut ModelResponse,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, response);
        Absent::new(Ok(()))
    }

    /// Runs before a call of the model, outside of all tool hooks. It may change the name and the arguments. If it returns an output,
    /// that is the result of the call: no tool hook and no tool runs, and the hooks after it do not run at this place. The call counts
    /// into [`Limits::tool_calls`](crate::declaration::Limits::tool_calls); beyond the limit it is refused in place of the output.
    ///
    /// Cancel safety: as [`Self::before_llm_call`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn before_tool_call<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a mut TurnToolCall,
    ) -> impl Future<Output = Result<Option<ToolOutput>, BoxError>> + Send + 'a {
        let _ = (run, call);
        Absent::new(Ok(None))
    }

    /// Runs on the result of a call, when all calls of the turn have ended. It may change what the model reads.
    ///
    /// Cancel safety: as [`Self::before_llm_call`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn after_tool_call<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a TurnToolCall,
        result: &'a mut ToolResultMessage,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, call, result);
        Absent::new(Ok(()))
    }

    /// Runs when the answer and the results of its calls are in the conversation.
    ///
    /// Cancel safety: as [`Self::before_llm_call`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn after_turn_complete<'a>(
        &'a self,
        run: &'a RunContext,
        turn: &'a CompletedTurn,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, turn);
        Absent::new(Ok(()))
    }

    /// Lists the services that the hook takes with [`RunContext::provided`]. `#[turn_hook]` writes it. Building an agent compares the
    /// list with what the program provides. By default the list is empty. A wrapper of another hook forwards it.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }
}

/// The values in parentheses after a turn hook's name in `agent!`.
pub type ValuesOfTurnHook<H> = <<H as TurnHook>::Made as MadeBy<H>>::Values;

/// The state that a turn hook works on.
pub type StateOfTurnHook<H> = <<H as TurnHook>::Made as MadeBy<H>>::State;

/// A shared hook: its fields exist once.
#[diagnostic::do_not_recommend]
impl<H: TurnHook> TurnHook for Arc<H> {
    type Made = InArc<H::Made>;
    const PLACE: Option<&'static str> = H::PLACE;

    fn before_llm_call<'a>(
        &'a self,
        run: &'a RunContext,
        request: &'a mut TurnRequest,
    ) -> impl Future<Output = Result<Option<ModelResponse>, BoxError>> + Send + 'a {
        (**self).before_llm_call(run, request)
    }

    fn after_llm_call<'a>(
        &'a self,
        run: &'a RunContext,
        response: &'a mut ModelResponse,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).after_llm_call(run, response)
    }

    fn before_tool_call<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a mut TurnToolCall,
    ) -> impl Future<Output = Result<Option<ToolOutput>, BoxError>> + Send + 'a {
        (**self).before_tool_call(run, call)
    }

    fn after_tool_call<'a>(
        &'a self,
        run: &'a RunContext,
        call: &'a TurnToolCall,
        result: &'a mut ToolResultMessage,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).after_tool_call(run, call, result)
    }

    fn after_turn_complete<'a>(
        &'a self,
        run: &'a RunContext,
        turn: &'a CompletedTurn,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).after_turn_complete(run, turn)
    }

    fn services(taken: &mut ServiceTypes) {
        H::services(taken);
    }
}
