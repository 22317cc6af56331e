//! Agents of onionskin in editors, over the [Agent Client Protocol](https://agentclientprotocol.com). Programs use it through the crate
//! `onionskin`, whose feature `acp` brings it.

// `server` is what programs use. `connection` reads the requests of the client and gives them to the `conversations`; `turn` runs the agent
// for one prompt. Its events become `updates` in a `view`, which gives each call an id (`calls`). `asking` asks the client, with `forms`;
// `open_questions` are asked as text. `replay` shows a stored conversation, and `content` turns content into that of the protocol and back.
// `lines` are the messages on the streams, and `backlog` counts those that wait.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod asking;
mod backlog;
mod calls;
mod connection;
mod content;
mod conversations;
mod error;
mod forms;
mod lines;
mod open_questions;
mod replay;
mod server;
mod turn;
mod updates;
mod view;

pub use error::AcpError;
pub use server::AcpServer;
