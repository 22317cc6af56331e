//! Functions of a script that the task of its call answers. The thread of the script waits for the answer, and this time is not the script's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use onionskin_core::{Exit, ToolResult};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::env::{Env, Function};
use super::sandbox::Watch;

/// What a script asks, and the way back.
pub(super) type Request<Q> = (Q, oneshot::Sender<ToolResult<Value>>);

/// The script's end of the way to the task.
pub(super) struct Asks<Q> {
    sender: mpsc::Sender<Request<Q>>,
    waited: Arc<AtomicU64>,
}

impl<Q> Asks<Q> {
    /// The end of the script, and that of the task.
    pub(super) fn new(watch: &Watch) -> (Self, mpsc::Receiver<Request<Q>>) {
        let (sender, requests) = mpsc::channel(1);
        (Self { sender, waited: Arc::clone(&watch.waited) }, requests)
    }

    /// Waits for the answer of the task.
    pub(super) fn ask(&self, question: Q) -> ToolResult<Value> {
        let cancelled = || Err(Exit::tool("the call was cancelled"));
        let (answer, result) = oneshot::channel();
        if self.sender.try_send((question, answer)).is_err() {
            return cancelled();
        }
        let since = Instant::now();
        let result = result.blocking_recv();
        let nanos = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waited.fetch_add(nanos, Ordering::Relaxed);
        result.unwrap_or_else(|_| cancelled())
    }
}

/// The environment with a function, in place of one of this name.
pub(super) fn with_function(mut env: Env, function: Function) -> Env {
    env.functions.retain(|other| other.name != function.name);
    env.functions.push(function);
    env
}

/// A function for the reading of a script, which nothing calls.
pub(super) fn uncalled(name: &str, params: usize) -> Function {
    let call = Arc::new(|_: Vec<Value>| Err(Exit::tool("there is no call")));
    Function { name: name.to_owned(), params, call }
}
