//! The runs of an app's entry agent.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use onionskin_tools::event::RunOutput;
use onionskin_tools::question::Paused;
use onionskin_tools::session::{Session, SessionError};

use crate::agent::callers::request::RunRequest;
use crate::agent::callers::stream::RunStream;
use crate::agent::callers::typed_run::TypedRunOutput;
use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::TypedAnswer;
use crate::run_hook::RunInput;

use super::app::App;

impl App {
    /// Runs the entry agent in a new session.
    ///
    /// Cancel safety: as [`AgentHandle::run`](crate::AgentHandle::run).
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(&self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        self.entry().run(input).await
    }

    /// Runs the entry agent in a new session, to an answer of a type; see [`RunRequest::run_as`].
    ///
    /// Cancel safety: as [`AgentHandle::run`](crate::AgentHandle::run).
    ///
    /// # Errors
    /// As [`RunRequest::run_as`].
    pub fn run_as<T: TypedAnswer>(
        &self,
        input: impl Into<RunInput>,
    ) -> BoxFuture<'static, Result<TypedRunOutput<T>, RunError>> {
        self.entry().run_as(input)
    }

    /// Prepares a run of the entry agent in a new session and returns its events as a stream, as
    /// [`AgentHandle::stream`](crate::AgentHandle::stream) does.
    pub fn stream(&self, input: impl Into<RunInput>) -> RunStream {
        self.entry().stream(input)
    }

    /// Creates a new session of the entry agent, as [`AgentHandle::session`](crate::AgentHandle::session) does. It has the states of all
    /// agents, so each agent of the app can run in it.
    pub fn session(&self) -> Session {
        self.entry().session()
    }

    /// Opens the stored session with an id, or begins it, as
    /// [`AgentHandle::open_session`](crate::AgentHandle::open_session) does.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// As [`AgentHandle::open_session`](crate::AgentHandle::open_session).
    pub async fn open_session(&self, id: impl Into<Arc<str>>) -> Result<Session, SessionError> {
        self.entry().open_session(id).await
    }

    /// Prepares a run of the entry agent with options, such as its session, its id or a token that cancels it.
    ///
    /// ```
    /// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning."), ScriptedTurn::say("Goodbye.")]);
    /// let app = App::builder().agent::<Clerk>().model(model).build().await?;
    /// // Two runs in one session: the second one sees the messages of the first.
    /// let chat = app.session();
    /// app.request("Hello.").session(&chat).user("ada").run().await?;
    /// assert_eq!(app.request("I have to go.").session(&chat).run().await?.text, "Goodbye.");
    /// assert_eq!(chat.history().len(), 4);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn request(&self, input: impl Into<RunInput>) -> RunRequest {
        self.entry().request(input)
    }

    /// Prepares a paused run of the entry agent to be continued, as [`AgentHandle::resume`](crate::AgentHandle::resume) does. A run of
    /// another agent is resumed by that agent ([`Self::agent`]).
    ///
    /// ```
    /// use onionskin::question::Answer;
    /// use onionskin::{App, RunError, ScriptedModel, ScriptedTurn, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Pays.
    /// #[tool(approval, effect = once)]
    /// fn pay(cents: u32) -> String {
    ///     format!("paid {cents}")
    /// }
    ///
    /// agent! { Payer { instruction: "Pay.", function_tools: [pay] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
    /// let app = App::builder().agent::<Payer>().model(model).build().await.unwrap();
    /// let Err(RunError::Paused(paused)) = app.run("Pay.").await else { panic!("it pauses") };
    /// let key = paused.questions()[0].key();
    /// assert_eq!(app.resume(&paused).answer(key, Answer::allow()).run().await.unwrap().text, "paid 5");
    /// # });
    /// ```
    pub fn resume(&self, paused: &Paused) -> RunRequest {
        self.entry().resume(paused)
    }
}
