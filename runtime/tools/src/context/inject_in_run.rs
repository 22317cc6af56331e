//! The parameters that the runtime fills in hooks of a run.

use tokio_util::sync::CancellationToken;

use super::{AgentInfo, RunContext, State, Team};
use crate::services::{Provided, Service, ServiceTypes};
use crate::session::Session;
use crate::state::SessionState;
use onionskin_definitions::error::BoxError;

/// A parameter of a run hook, a turn hook or a message hook that the runtime fills. [`Inject`](crate::Inject)
/// is the counterpart for tools and tool hooks.
///
/// Implement it for a type and mark the parameter with `#[inject]`. A hand-written hook calls
/// [`Self::inject_in_run`].
///
/// ```
/// use onionskin::run::InjectInRun;
/// use onionskin::run_hooks::{BoxError, RunHook, RunInput};
/// use onionskin::{RunContext, ScriptedModel, ScriptedTurn, State, agent, made};
///
/// #[derive(Clone)]
/// struct Shop {
///     name: String,
/// }
///
/// /// Says where the question is asked.
/// struct Place;
///
/// impl RunHook for Place {
///     type Made = made::AtRunTime<State<Shop>>;
///
///     async fn before_run(&self, run: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
///         let shop = State::<Shop>::inject_in_run(run)?;
///         input.set_text(format!("In {}: {}", shop.name, input.text()));
///         Ok(())
///     }
/// }
///
/// agent! { Clerk { instruction: "Answer.", state: Shop } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("{input}")]);
/// let clerk = Clerk::builder().model(model).state(Shop { name: "Ys".to_owned() }).run_hook(Place);
/// assert_eq!(clerk.run("Which way?").await.unwrap().text, "In Ys: Which way?");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a hook of runs, turns or messages",
    label = "the runtime has no value of this type around a run",
    note = "these can be injected: `&RunContext`, `State<T>`, `Provided<T>`, `CancellationToken`, `Team`, and `&AgentInfo`, `&Session`, \
            `&SessionState` (all of these by `&` and by value)",
    note = "a run hook also takes, by name: `input` or `run_input` (before the run), `answer`, `output` or `run_output` (after it); a turn \
            hook or a message hook takes the parts of its place, such as `request: &mut TurnRequest` and `message: &mut SentMessage`",
    note = "for a value that `agent!` gives to a hook, as in `sign(\"v1\")`, write `#[config]`",
    note = "for a value of the program, take `Provided<T>`: `.provide(..)` of the builder gives it; for a type of your own, write \
            `impl<'a> InjectInRun<'a> for ..`"
)]
pub trait InjectInRun<'a>: Sized {
    /// The value for this run.
    ///
    /// # Errors
    /// Returns the error that the run then ends with. The hook does not run.
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError>;

    /// Lists the services and the agent state that [`Self::inject_in_run`] takes from the run, as
    /// [`Inject::services`](crate::Inject::services) does. The default list is empty.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }
}

macro_rules! parts_of_a_run {
    ($($part:ty: $run:ident => $value:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a> InjectInRun<'a> for &'a $part {
            fn inject_in_run($run: &'a RunContext) -> Result<Self, BoxError> {
                Ok($value)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a> InjectInRun<'a> for $part {
            fn inject_in_run($run: &'a RunContext) -> Result<Self, BoxError> {
                Ok(<$part>::clone($value))
            }
        }
    )*};
}

parts_of_a_run! {
    RunContext: run => run;
    AgentInfo: run => run.agent();
    SessionState: run => run.session_state();
    Session: run => run.session().ok_or("a call without an agent has no session")?;
}

#[diagnostic::do_not_recommend]
impl<'a> InjectInRun<'a> for Team {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(run.team())
    }
}

#[diagnostic::do_not_recommend]
impl<'a> InjectInRun<'a> for CancellationToken {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(run.cancellation().clone())
    }
}

// Recommended, so that the compiler names the bound that the state lacks, mostly `Clone`.
impl<'a, S: Clone + Send + Sync + 'static> InjectInRun<'a> for State<S> {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(State::from_run(run)?)
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_state::<S>();
    }
}

// Recommended, so that the compiler names the bound that the service lacks, mostly `Sync`.
impl<'a, T: ?Sized + Service> InjectInRun<'a> for Provided<T> {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(run.provided()?)
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<T>();
    }
}

/// `None` without such a service.
#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized + Service> InjectInRun<'a> for Option<Provided<T>> {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(run.services().get())
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_optional::<T>();
    }
}
