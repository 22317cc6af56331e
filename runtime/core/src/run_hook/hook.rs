//! A run hook implements `RunHook`.

use std::future::Future;
use std::sync::Arc;

use super::answer::RunAnswer;
use super::delta_filter::DeltaFilter;
use super::input::RunInput;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::onion::{Absent, InArc, MadeBy};
use onionskin_tools::services::ServiceTypes;

/// Code around a whole run: see the [module](crate::run_hooks) for its order and its errors. By default both methods do nothing.
///
/// ```
/// use onionskin::run_hooks::{RunAnswer, RunHook};
/// use onionskin::servers::BoxError;
/// use onionskin::{RunContext, ScriptedModel, ScriptedTurn, agent, made};
///
/// /// Signs the answer.
/// #[derive(Default)]
/// struct Signs;
///
/// impl RunHook for Signs {
///     type Made = made::ByDefault;
///
///     async fn after_run(&self, run: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
///         answer.set_text(format!("{} -- {}", answer.text(), run.agent().name()));
///         Ok(())
///     }
/// }
///
/// agent! { Clerk { instruction: "Answer.", run_hooks: [Signs] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
/// assert_eq!(Clerk::builder().model(model).run("Hello.").await.unwrap().text, "Good morning. -- Clerk");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a run hook",
    label = "not a run hook",
    note = "write `#[run_hook(pre)]` or `#[run_hook(post)]` on the function and name the function here, or implement `RunHook` for the \
            type",
    note = "a hook around tool calls, `#[tool_hook]`, belongs in `tool_hooks`, one around turns, `#[turn_hook]`, in `turn_hooks`, one on \
            messages, `#[message_hook]`, in `message_hooks`",
    note = "the function's name is the function; for `.run_hook(..)`, write `name::new()`, with the hook's configuration in the \
            parentheses"
)]
pub trait RunHook: Send + Sync + Sized + 'static {
    /// How lists construct the hook, and which state it works on: a type of [`made`](crate::made), as for
    /// [`Hook::Made`](crate::Hook::Made).
    type Made: MadeBy<Self>;

    /// Whether the run goes on if the hook fails. Then the error, or the panic, is an
    /// [`EventKind::Notice`](crate::event::EventKind::Notice), and what the hook changed of the text is undone. What it did elsewhere, such
    /// as in the state, stays. By default a failure ends the run.
    const IGNORE_ERRORS: bool = false;

    /// Runs before the first turn, and before a server lists its tools for the run. It may change the input.
    ///
    /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
    ///
    /// # Errors
    /// Any error ends the run; an [`InputCheckError`](crate::run_hooks::InputCheckError) is a refusal of the input.
    fn before_run<'a>(
        &'a self,
        run: &'a RunContext,
        input: &'a mut RunInput,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, input);
        Absent::new(Ok(()))
    }

    /// Runs after the last turn of a run with an answer. It may change the answer.
    ///
    /// Cancel safety: as [`Self::before_run`].
    ///
    /// # Errors
    /// Any error ends the run, which then has no answer; an [`OutputCheckError`](crate::run_hooks::OutputCheckError) is a refusal of the answer.
    fn after_run<'a>(
        &'a self,
        run: &'a RunContext,
        answer: &'a mut RunAnswer,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, answer);
        Absent::new(Ok(()))
    }

    /// Makes a filter of what a streamed run shows while the model writes: one for the text of each turn, one for its reasoning, and one for
    /// the arguments of each call, which are JSON ([`DeltaFilter::expect_json`]). It is asked only if the run's events are read. [`Self::after_run`] gets the answer as the model wrote it. By default there is none.
    ///
    /// A filter of the agent does not see the texts of its children, which have their own hooks.
    fn delta_filter(&self, run: &RunContext) -> Option<Box<dyn DeltaFilter>> {
        let _ = run;
        None
    }

    /// Lists the services that the hook takes with [`RunContext::provided`]. `#[run_hook]` writes it. Building an agent compares the
    /// list with what the program provides. By default the list is empty. A wrapper of another hook forwards it.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }
}

/// The values in parentheses after a run hook's name in `agent!`.
pub type ValuesOfRunHook<H> = <<H as RunHook>::Made as MadeBy<H>>::Values;

/// The state that a run hook works on.
pub type StateOfRunHook<H> = <<H as RunHook>::Made as MadeBy<H>>::State;

/// A shared hook: its fields exist once.
#[diagnostic::do_not_recommend]
impl<H: RunHook> RunHook for Arc<H> {
    type Made = InArc<H::Made>;
    const IGNORE_ERRORS: bool = H::IGNORE_ERRORS;

    fn before_run<'a>(
        &'a self,
        run: &'a RunContext,
        input: &'a mut RunInput,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).before_run(run, input)
    }

    fn after_run<'a>(
        &'a self,
        run: &'a RunContext,
        answer: &'a mut RunAnswer,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).after_run(run, answer)
    }

    fn delta_filter(&self, run: &RunContext) -> Option<Box<dyn DeltaFilter>> {
        (**self).delta_filter(run)
    }

    fn services(taken: &mut ServiceTypes) {
        H::services(taken);
    }
}
