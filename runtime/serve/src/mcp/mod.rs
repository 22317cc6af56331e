//! The Model Context Protocol: what a client asks for, and how it is answered.

#![expect(deprecated, reason = "clients before 2026-07-28 have logs and watch resources")]

mod asking;
mod call;
mod client;
mod handler;
mod lists;
mod reports;
mod result;
mod task;

pub(crate) use handler::Handler;
pub(crate) use lists::changes;
