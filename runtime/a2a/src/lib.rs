//! The A2A protocol, version 1: agents that serve other agents, and remote agents as children.
//!
//! [`Server`] makes the routes of one agent, which a program puts into its axum router. [`Remote`] makes an agent out of
//! one that is reached by address.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod remote;
mod server;
mod wire;

pub use remote::{Remote, RemoteError, run_remote};
pub use server::{CardError, Server, ServerLimits, User};
pub use wire::Skill;
