//! Tools and agents as MCP servers, over standard streams and over HTTP.
//!
//! A [`Server`] offers agents as tools, the tools of an agent behind its hooks, resources and prompts. The same server speaks
//! both generations of the protocol: with `initialize` and sessions up to 2025-11-25, and without them from 2026-07-28 on.
//!
//! ```
//! use onionskin::serve::Server;
//! use onionskin::{ScriptedModel, ScriptedTurn, agent};
//!
//! agent! { Clerk { instruction: "Answer.", description: "Answers questions." } }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Yes.")])).build().await.unwrap();
//! let server = Server::builder("desk", "1.0.0").agent(&clerk).build().await.unwrap();
//!
//! // In an application of axum:
//! let routes: axum::Router = axum::Router::new().nest_service("/mcp", server.http().service());
//! # let _ = routes;
//! # });
//! ```
//!
//! Each call is a run of its own: hooks, guardrails, approval, limits, budgets and spans apply as in any run. A call that asks a
//! person asks through the client.

// The path of a call: `http` or `stdio` reads it, rmcp dispatches it to the `mcp::handler`, `mcp::call` finds the tool in the `offer`
// and runs it, `mcp::reports` tells the client what happens meanwhile, and `mcp::result` writes the result. A call that asks is
// `mcp::asking`: a request to the client, or a `state` that the client brings back. `question` has the forms for both.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod calls;
mod changes;
mod client;
mod error;
mod http;
mod logs;
mod mcp;
mod offer;
mod parts;
mod prompt;
mod question;
mod resource;
mod server;
#[cfg(feature = "skills")]
mod skills;
mod state;
mod stdio;
mod tasks;
mod tools;
mod user;
mod wire;

pub use builder::ServerBuilder;
pub use client::Client;
pub use error::ServeError;
pub use http::{Http, HttpService, Listening, ResourceMetadata, TokenVerifier};
pub use prompt::{Prompt, PromptMessage};
pub use resource::{Resource, ResourceError, Variables};
pub use server::Server;
pub use user::User;
