//! Hooks around the calls of an agent.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::{Args, Hook, Inject, Next, State, ToolContext, ToolResult, made};

use crate::Bank;

/// Writes down each call, as it was made and as it ended. Clones write on the same trail.
#[derive(Debug, Clone, Default)]
pub struct AuditTrail(Arc<Mutex<Vec<String>>>);

impl AuditTrail {
    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Hook for AuditTrail {
    type Made = made::AtRunTime;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let call = format!("{} {} {} {}", cx.agent_name(), cx.source(), cx.tool_name(), args.text());
        let result = next.run(args).await;
        let how = match &result {
            Ok(_) => "done".to_owned(),
            Err(exit) => {
                exit.as_tool_error().map_or("ended the run".to_owned(), |error| format!("{:?}", error.kind()))
            }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{call}: {how}"));
        result
    }
}

/// Refuses all calls when this number of payments was made. `agent!` makes it of its value: `tool_hooks: [Payments(3)]`.
#[derive(Debug, Clone, Copy)]
pub struct Payments(usize);

impl From<(usize,)> for Payments {
    fn from((most,): (usize,)) -> Self {
        Self(most)
    }
}

impl Hook for Payments {
    type Made = made::FromValues<(usize,), State<Bank>>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let paid = State::<Bank>::inject(cx)?.latest().paid.len();
        if paid >= self.0 {
            return Err(format!("{paid} payments were made, and no more are allowed").into());
        }
        next.run(args).await
    }
}
