//! Servers as clients use them: over streams in memory, and over sockets.

#![allow(clippy::unwrap_used, missing_docs)]

mod calls;
mod desk;
mod http;
mod lines;
mod questions;
mod requests;
