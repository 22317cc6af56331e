//! Agents whose answers have a type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use futures_util::future::BoxFuture;
use onionskin_tools::question::Paused;
use onionskin_tools::tool::block_on;

use crate::agent::Agent;
use crate::agent::callers::handle::AgentHandle;
use crate::agent::callers::request::RunRequest;
use crate::agent::callers::typed_run::{TypedRunOutput, TypedRunStream};
use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::TypedAnswer;
use crate::run_hook::RunInput;

use super::builder::AgentBuilder;

/// An agent whose answers have a type: `output: Report` in `agent!`. A hand-written agent implements it and
/// calls [`AgentDeclaration::output`](crate::agent::AgentDeclaration::output) with the same type.
///
/// ```
/// use onionskin::declaration::{AgentDeclaration, TypedAgent};
/// use onionskin::{Agent, ScriptedModel, ScriptedTurn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum {
///     total: i64,
/// }
///
/// struct Clerk;
///
/// impl Agent for Clerk {
///     const NAME: &'static str = "Clerk";
///     type State = ();
///
///     fn declare() -> AgentDeclaration {
///         AgentDeclaration::new().instruction("Do sums.").output::<Sum>()
///     }
/// }
///
/// impl TypedAgent for Clerk {
///     type Output = Sum;
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"total": 42}"#)]);
/// let clerk = Clerk::builder().model(model).build_typed().await.unwrap();
/// assert_eq!(clerk.run("41 + 1?").await.unwrap().answer.total, 42);
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "the answers of the agent `{Self}` are text",
    label = "this agent declares no `output`",
    note = "write `output: Report` in its `agent!`, or ask for a type at run time: `.build().await?.run_as::<Report>(..)`"
)]
pub trait TypedAgent: Agent {
    /// The type of the answers: a [`TypedAnswer`](crate::forms::TypedAnswer).
    type Output: 'static;
}

// `T` is the type of the answers. Without it in the results, the compiler would report a missing `output` at each use of the future.
impl<A: Agent> AgentBuilder<A> {
    /// As [`Self::build`], with a handle whose runs return typed answers.
    ///
    /// Cancel safety: as [`Self::build`].
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_typed<T>(self) -> BoxFuture<'static, Result<TypedHandle<T>, BuildError>>
    where
        A: TypedAgent<Output = T>,
        T: TypedAnswer,
    {
        Box::pin(async move { Ok(TypedHandle { handle: self.build().await?, output: PhantomData }) })
    }

    /// As [`Self::run`], with a typed answer.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// As [`Self::run`]; [`RunError::WrongAnswer`] if no answer fits.
    pub fn run_typed<T>(
        self,
        input: impl Into<RunInput>,
    ) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>>
    where
        A: TypedAgent<Output = T>,
        T: TypedAnswer,
    {
        let input = input.into();
        Box::pin(async move {
            let handle = self.build_typed().await?;
            let output = handle.run(input).await;
            handle.shutdown().await;
            output
        })
    }

    /// As [`Self::run_typed`], for synchronous programs, as [`Self::run_blocking`].
    ///
    /// # Errors
    /// As [`Self::run_typed`].
    pub fn run_typed_blocking<T>(self, input: impl Into<RunInput>) -> Result<TypedRunOutput<T>, RunError>
    where
        A: TypedAgent<Output = T>,
        T: TypedAnswer,
    {
        let input = input.into();
        block_on(move || self.run_typed(input)).unwrap_or_else(|error| {
            Err(RunError::Agent { agent: A::NAME.into(), reason: format!("no thread for it: {error}") })
        })
    }

    /// As [`Self::stream`], with a typed answer.
    ///
    /// Cancel safety: as [`Self::stream`].
    ///
    /// # Errors
    /// As [`Self::stream`].
    pub fn stream_typed<T>(
        self,
        input: impl Into<RunInput>,
    ) -> BoxFuture<'static, Result<TypedRunStream<T>, BuildError>>
    where
        A: TypedAgent<Output = T>,
        T: TypedAnswer,
    {
        let input = input.into();
        Box::pin(async move { Ok(self.build_typed().await?.stream(input)) })
    }
}

/// A built agent whose answers have a type: an [`AgentHandle`] whose `run` and `stream` return typed answers.
/// Created by [`AgentBuilder::build_typed`].
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Report {
///     title: String,
/// }
///
/// agent! { Desk { instruction: "Report.", output: Report } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"title": "Tides"}"#), ScriptedTurn::say(r#"{"title": "Ebb"}"#)]);
/// let desk = Desk::builder().model(model).build_typed().await.unwrap();
/// let chat = desk.session();
/// let report = desk.request("On tides.").session(&chat).run().await.unwrap().answer;
/// assert_eq!(report.title, "Tides");
/// let report = desk.request("Once more.").session(&chat).run().await.unwrap().answer;
/// assert_eq!(report.title, "Ebb");
/// desk.shutdown().await;
/// # });
/// ```
pub struct TypedHandle<T> {
    handle: AgentHandle,
    output: PhantomData<fn() -> T>,
}

impl<T: TypedAnswer> TypedHandle<T> {
    /// Runs the agent in a new session.
    ///
    /// Cancel safety: as [`AgentHandle::run`].
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer; [`RunError::WrongAnswer`] if no answer fits the type.
    pub fn run(&self, input: impl Into<RunInput>) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>> {
        self.request(input).run()
    }

    /// Prepares a run in a new session and returns its events as a stream.
    pub fn stream(&self, input: impl Into<RunInput>) -> TypedRunStream<T> {
        self.request(input).stream()
    }

    /// Prepares a run with options, such as its session.
    pub fn request(&self, input: impl Into<RunInput>) -> RunRequest<TypedRunOutput<T>> {
        self.handle.request(input).typed()
    }

    /// Continues a paused run, as [`AgentHandle::resume`], with a typed answer. Pass the person's answers to
    /// [`RunRequest::answer`].
    ///
    /// ```
    /// use onionskin::question::Answer;
    /// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Pays.
    /// #[tool(approval)]
    /// fn pay(cents: u32) -> String {
    ///     format!("paid {cents}")
    /// }
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Receipt {
    ///     cents: u32,
    /// }
    ///
    /// agent! { Payer { instruction: "Pay.", function_tools: [pay], output: Receipt } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let turns = [ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say(r#"{"cents": 5}"#)];
    /// let payer = Payer::builder().model(ScriptedModel::turns(turns)).build_typed().await.unwrap();
    /// let Err(RunError::Paused(paused)) = payer.run("Pay.").await else { panic!("it pauses") };
    /// let key = paused.questions()[0].key();
    /// let run = payer.resume(&paused).answer(key, Answer::allow()).run().await.unwrap();
    /// assert_eq!(run.answer.cents, 5);
    /// # });
    /// ```
    pub fn resume(&self, paused: &Paused) -> RunRequest<TypedRunOutput<T>> {
        self.handle.resume(paused).typed()
    }

    /// Ends the servers of tools and waits for them, as [`AgentHandle::shutdown`] does.
    ///
    /// Cancel safety: as [`AgentHandle::shutdown`].
    pub async fn shutdown(self) {
        self.handle.shutdown().await;
    }

    /// Returns the untyped handle.
    pub fn into_handle(self) -> AgentHandle {
        self.handle
    }
}

impl<T> Clone for TypedHandle<T> {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), output: PhantomData }
    }
}

impl<T> Deref for TypedHandle<T> {
    type Target = AgentHandle;

    fn deref(&self) -> &AgentHandle {
        &self.handle
    }
}

impl<T> fmt::Debug for TypedHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(f)
    }
}
