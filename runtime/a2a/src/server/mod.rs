//! An agent as an A2A server.
//!
//! Both bindings (`rpc`, `rest`) have the same `operations`. A message begins the turn of a task (`task`, in the `store`, in a
//! conversation of `contexts`), whose run (`drive`) goes on without a listener.

mod card;
mod contexts;
mod drive;
mod http;
mod input;
mod limits;
mod operations;
mod pieces;
mod places;
mod questions;
mod rest;
mod rpc;
mod store;
mod task;

use std::sync::Arc;

use axum::Router;
use axum::routing::{any, get};
use onionskin_core::servers::ServerError;
use onionskin_core::{AgentHandle, CancellationToken};

pub use limits::ServerLimits;

use crate::wire::{CARD_PATH, Skill};
use card::PublicCard;
use places::Places;
use store::Store;

/// The paths of the bindings, below the address of the agent.
const RPC_PATH: &str = "/a2a";
const REST_PATH: &str = "/a2a/rest";

/// The user of a request. The program puts it into the extensions of the request, behind its check of the credentials. A
/// user has own tasks and own contexts; requests without a user share theirs. Requests of a user with a blank id are refused,
/// because such a user has no budgets.
///
/// ```
/// use onionskin::a2a::User;
///
/// let user = User::new("ada");
/// assert_eq!(user.id(), "ada");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User(Arc<str>);

impl User {
    /// Creates the user with this id.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.0
    }
}

/// Why an agent cannot be served.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The address is not one that clients can use.
    #[error(
        "`{url}` is not an address of an agent: write the one that clients use, such as `https://example.com/clerk`"
    )]
    #[non_exhaustive]
    Url {
        /// The address.
        url: String,
    },
    /// A text of the card is empty, and clients refuse such a card.
    #[error("the card of the agent `{agent}` has an empty {field}: write a text")]
    #[non_exhaustive]
    Empty {
        /// The agent.
        agent: String,
        /// The text.
        field: &'static str,
    },
    /// The agent cannot be described.
    #[error(transparent)]
    Describe(#[from] ServerError),
}

/// An agent as an A2A server: its card, and both bindings of the protocol, JSON-RPC and HTTP+JSON, with streams.
///
/// A message begins a run in the session of its context, and the task is the run: what the model writes is the artifact
/// `answer`, a question for a person is `input-required`, and a message to the task answers it. A run goes on without a
/// listener until the task ends or is canceled. Tasks are in memory.
///
/// ```
/// use onionskin::{AgentHandle, ScriptedModel, ScriptedTurn, a2a, agent};
///
/// agent! { Clerk { instruction: "Answer.", description: "Answers questions." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Yes.")])).build().await?;
/// let routes = a2a::Server::new(clerk, "https://example.com/clerk").version("1.2.0").router()?;
/// // The program listens, and checks who may ask.
/// let app: axum::Router = axum::Router::new().nest("/clerk", routes);
/// # drop(app);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Server {
    agent: AgentHandle,
    url: String,
    version: String,
    skills: Vec<Skill>,
    needs_token: bool,
    limits: ServerLimits,
    cancellation: CancellationToken,
}

impl Server {
    /// Creates the server of an agent that clients reach at this address: the one that they use, not the one at which the
    /// program listens.
    pub fn new(agent: AgentHandle, url: impl Into<String>) -> Self {
        Self {
            agent,
            url: url.into(),
            version: "1.0.0".to_owned(),
            skills: Vec::new(),
            needs_token: false,
            limits: ServerLimits::default(),
            cancellation: CancellationToken::new(),
        }
    }

    /// Sets the version of the agent in its card. The default is 1.0.0.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Adds a skill to the card. The card of an agent without skills has one, with the name and the description of the agent.
    #[must_use]
    pub fn skill(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Says in the card that requests need a bearer token. The program checks it.
    #[must_use]
    pub fn bearer_token(mut self) -> Self {
        self.needs_token = true;
        self
    }

    /// Sets what the server keeps and takes at most.
    #[must_use]
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets a token that cancels the runs of all tasks, for the end of the program.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Makes the routes, with paths below the address of the agent: put them into the program's router by `nest`, or by
    /// `merge` if the address has no path. They check neither who asks nor where a page comes from.
    ///
    /// # Errors
    /// Returns an error if clients would refuse the card.
    pub fn router(self) -> Result<Router, CardError> {
        let description = self.agent.describe()?;
        let is_typed = description.answer.is_some();
        let card = PublicCard::new(&description, &self.url, self.version, self.skills, self.needs_token)?;
        let inner = Arc::new(Inner {
            card,
            agent: self.agent,
            is_typed,
            store: Store::new(self.limits.clone()),
            running: Places::new(self.limits.running, self.limits.running_of_user),
            streams: Places::new(self.limits.streams, self.limits.streams_of_user),
            limits: self.limits,
            cancellation: self.cancellation,
        });
        Ok(Router::new()
            .route(CARD_PATH, get(card::serve))
            .route(RPC_PATH, any(rpc::serve))
            .route(&format!("{REST_PATH}/{{*path}}"), any(rest::serve))
            .with_state(inner))
    }
}

/// What the handlers share.
struct Inner {
    card: PublicCard,
    agent: AgentHandle,
    /// Whether the answers of the agent have a type.
    is_typed: bool,
    store: Store,
    running: Arc<Places>,
    streams: Arc<Places>,
    limits: ServerLimits,
    cancellation: CancellationToken,
}
