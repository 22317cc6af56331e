//! Tools as values.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::unused_self,
    reason = "tests say what they expect, and their tools are small"
)]

mod bind;
mod call;
mod clones;
#[cfg(feature = "mcp")]
mod conditions;
#[cfg(feature = "rhai")]
mod environment;
mod innermost;
mod kinds;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
#[cfg(feature = "preserve_order")]
mod order;
#[cfg(feature = "mcp-server")]
mod route;
#[cfg(feature = "rhai")]
mod script;
mod states;
mod transform;
mod value;

/// What calls did, one line each.
#[derive(Clone, Default)]
pub struct Log(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl Log {
    fn push(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}
