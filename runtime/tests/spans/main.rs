//! O4: the spans of runs, requests to models and tool calls.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
mod content;
mod ends;
mod hooks;
mod panics;
mod recorder;
mod shape;
