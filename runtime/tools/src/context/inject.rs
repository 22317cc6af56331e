//! The parameters that the runtime fills in tools and hooks.

use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{AgentInfo, RunContext, State, Team, ToolContext};
use crate::event::EventKind;
use crate::journal::StepKind;
use crate::services::{Provided, Service, ServiceTypes};
use crate::state::SessionState;
use onionskin_definitions::debug_fields;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::error::Exit;

/// A parameter of a tool or a hook that the runtime fills. The model never sees it.
///
/// Implement it for a type and mark the parameter with `#[inject]`.
///
/// ```
/// use onionskin::{Exit, Inject, ToolContext};
/// struct Caller(String);
/// impl<'a> Inject<'a> for Caller {
///     fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
///         Ok(Self(cx.agent_name().to_owned()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected",
    label = "the runtime has no value of this type",
    note = "these can be injected: `&ToolContext`, `State<T>`, `Provided<T>`, `CancellationToken`, `Progress`, \
            `IdempotencyKey`, `Team`, `ToolSource` (all of these by `&` too), `&RunContext`, `&AgentInfo`, `&SessionState`",
    note = "if the model should fill a tool's parameter of this type, mark it `#[arg]`",
    note = "for a value that `agent!` gives to a hook, as in `retry(3)`, write `#[config]`",
    note = "hooks also take, by name: `name` or `function_name` (`&str`), `args` or `arguments` (`&mut Args`), \
            `next` (`impl Next`), `result` or `output`",
    note = "for a value of the program, take `Provided<T>`: `.provide(..)` of the builder gives it; for a type of your own, write \
            `impl<'a> Inject<'a> for ..`"
)]
pub trait Inject<'a>: Sized {
    /// The value for this call.
    ///
    /// # Errors
    /// Returns the exit that the call then ends with. The tool does not run.
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit>;

    /// Lists the services and the agent state ([`ServiceTypes::add_state`]) that [`Self::inject`] takes from
    /// the context. Building an agent compares the lists of its tools, hooks and guardrails with the provided
    /// services and the agent's state. The default list is empty.
    ///
    /// ```
    /// use onionskin::services::ServiceTypes;
    /// use onionskin::{Exit, Inject, Provided, ToolContext};
    ///
    /// struct Pool;
    ///
    /// /// The accounts of the user who asks.
    /// struct Accounts {
    ///     pool: Provided<Pool>,
    ///     user: Option<String>,
    /// }
    ///
    /// impl<'a> Inject<'a> for Accounts {
    ///     fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
    ///         Ok(Self { pool: cx.provided()?, user: cx.run().user().map(str::to_owned) })
    ///     }
    ///
    ///     fn services(taken: &mut ServiceTypes) {
    ///         taken.add::<Pool>();
    ///     }
    /// }
    /// ```
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }
}

/// Parts of a call and of its run.
macro_rules! parts_of_a_call {
    ($($part:ty: $cx:ident => $value:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a> Inject<'a> for $part {
            fn inject($cx: &'a ToolContext) -> Result<Self, Exit> {
                Ok($value)
            }
        }
    )*};
}

parts_of_a_call! {
    &'a ToolContext: cx => cx;
    &'a RunContext: cx => cx.run();
    RunContext: cx => cx.run().clone();
    &'a AgentInfo: cx => cx.run().agent();
    AgentInfo: cx => cx.run().agent().clone();
    Team: cx => cx.run().team();
    &'a SessionState: cx => cx.run().session_state();
    SessionState: cx => cx.run().session_state().clone();
    ToolSource: cx => cx.source();
    CancellationToken: cx => cx.cancellation();
    IdempotencyKey: cx => Self::for_call(cx);
    Progress: cx => Self {
        run: cx.run().clone(),
        call_id: Arc::clone(&cx.call_id),
        step: cx.step_id(StepKind::Tool),
    };
}

// Recommended, so that the compiler names the bound that the state lacks, mostly `Clone`.
impl<'a, S: Clone + Send + Sync + 'static> Inject<'a> for State<S> {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        // This is a mistake in the program, which the model cannot correct.
        State::from_context(cx).map_err(|error| Exit::abort(error.to_string()))
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_state::<S>();
    }
}

// Recommended, so that the compiler names the bound that the service lacks, mostly `Sync`.
impl<'a, T: ?Sized + Service> Inject<'a> for Provided<T> {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(cx.provided()?)
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<T>();
    }
}

/// `None` without such a service.
#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized + Service> Inject<'a> for Option<Provided<T>> {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(cx.run().services().get())
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_optional::<T>();
    }
}

/// A key that is the same for all attempts of one call and differs between calls. Pass it to services that
/// deduplicate requests. A run that is repeated with the same `run_id` has the same keys.
///
/// ```
/// use onionskin::{Inject, testing, tool};
/// use onionskin::run::IdempotencyKey;
///
/// /// Pays.
/// #[tool(effect = once)]
/// fn pay(cents: u64, key: IdempotencyKey) -> String {
///     format!("paid {cents} once, as {key}")
/// }
///
/// // A test of the function takes one of a context.
/// let test = testing::context("pay").build();
/// let key = IdempotencyKey::inject(&test).unwrap();
/// assert!(pay(5, key).starts_with("paid 5 once, as "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(Arc<str>);

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl IdempotencyKey {
    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn for_call(cx: &ToolContext) -> Self {
        let mut id = cx.step_id(StepKind::Tool);
        id.attempt = 0;
        Self(format!("{}/{id}", cx.run().run_id()).into())
    }
}

/// Reports the progress of a tool as [`EventKind::Progress`] events. It is a parameter that the runtime
/// fills.
///
/// ```
/// use onionskin::{Progress, tool};
///
/// /// Counts the words of texts.
/// #[tool]
/// fn count(texts: Vec<String>, progress: Progress) -> usize {
///     let mut words = 0;
///     for (done, text) in texts.iter().enumerate() {
///         words += text.split_whitespace().count();
///         progress.report((done + 1) as f64, Some(texts.len() as f64), None);
///     }
///     words
/// }
/// ```
#[derive(Clone)]
pub struct Progress {
    run: RunContext,
    call_id: Arc<str>,
    step: crate::journal::StepId,
}

impl Progress {
    /// Reports that `done` of `total` units are done. The tool chooses the unit; `total` may be unknown.
    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<Option<String>>) {
        self.run.events().push(
            self.step.as_step(),
            EventKind::Progress {
                call_id: Some(Arc::clone(&self.call_id)),
                done,
                total,
                message: message.into(),
            },
        );
    }
}

debug_fields!(Progress: this => call_id: this.call_id);
