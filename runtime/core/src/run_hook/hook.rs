//! [`RunHook`]: the trait of run hooks.

use std::future::Future;

use super::answer::RunAnswer;
use super::delta_filter::DeltaFilter;
use super::input::RunInput;
use crate::places::hooks;
use onionskin_tools::context::RunContext;

hooks! {
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
        note = "`name` alone is the function itself: pass `name::new(..)` to `.run_hook(..)`"
    )]
    pub trait RunHook, DynRunHook {
        constants {
            /// Whether the run continues if the hook fails. The error or panic is then reported as an
            /// [`EventKind::Notice`](crate::event::EventKind::Notice), and the hook's changes of the text are
            /// undone. Other effects, such as changes of the state, remain. By default a failure ends the
            /// run.
            IGNORE_ERRORS: bool = false => ignores_errors;
        }

        methods {
            /// Creates a filter for a text that a streamed run shows while the model writes: the text of each
            /// turn, its reasoning, and the arguments of each call, which are JSON
            /// ([`DeltaFilter::expect_json`]). It is called only if the run's events are read.
            /// [`Self::after_run`] gets the unfiltered answer. By default there is no filter.
            ///
            /// The filter does not get the texts of children, which have their own hooks.
            delta_filter(run: &RunContext) -> Option<Box<dyn DeltaFilter>> = None;
        }

        places {
            /// Runs before the first turn, and before servers list their tools for the run. It may change the
            /// input.
            ///
            /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
            ///
            /// # Errors
            /// Any error ends the run; an [`InputCheckError`](crate::run_hooks::InputCheckError) is a refusal of the input.
            "pre" before_run(input: &'a mut RunInput) -> () = ();

            /// Runs after the last turn of a run with an answer. It may change the answer.
            ///
            /// Cancel safety: as [`Self::before_run`].
            ///
            /// # Errors
            /// Any error ends the run, which then has no answer; an [`OutputCheckError`](crate::run_hooks::OutputCheckError) is a refusal of the answer.
            "post" after_run(answer: &'a mut RunAnswer) -> () = ();
        }
    }
}
