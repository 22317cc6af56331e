//! The calls that a person allowed for the rest of a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::approval::Always;
use crate::definition::{Annotations, ToolDefinition};
use crate::lock::lock;

/// The calls of an agent's tool in the runs of one user: those with these arguments, or all. The arguments are kept whole, because
/// hashes can be forged.
#[derive(PartialEq, Eq, Hash)]
struct Calls {
    user: Option<Arc<str>>,
    agent: Arc<str>,
    tool: Arc<str>,
    args: Option<String>,
}

/// What a server said of a tool when a person allowed its calls. A server may change its tools, and another tool is not what the person saw.
#[derive(PartialEq)]
struct Seen {
    description: Arc<str>,
    input_schema: Arc<Value>,
    annotations: Annotations,
}

impl Seen {
    /// Nothing for a tool of the program, which is the same for the whole session.
    fn of(tool: &ToolDefinition) -> Option<Self> {
        tool.is_of_server.then(|| Self {
            description: Arc::clone(&tool.description),
            input_schema: Arc::clone(&tool.input_schema),
            annotations: tool.annotations,
        })
    }
}

/// The calls that need no further approval.
#[derive(Default)]
pub(crate) struct Allowed(Mutex<HashMap<Calls, Option<Seen>>>);

impl Allowed {
    /// Allows the calls of an agent's tool in the runs of this user: those with these arguments, or all.
    pub(crate) fn add(
        &self,
        user: Option<Arc<str>>,
        agent: &str,
        tool: &str,
        definition: &ToolDefinition,
        args: &str,
        which: Always,
    ) {
        let args = match which {
            Always::Arguments => Some(args.to_owned()),
            Always::Tool => None,
        };
        let calls = Calls { user, agent: agent.into(), tool: tool.into(), args };
        lock(&self.0).insert(calls, Seen::of(definition));
    }

    /// Whether the call needs no further approval in a run of this user.
    pub(crate) fn has(
        &self,
        user: Option<&Arc<str>>,
        agent: &str,
        tool: &str,
        definition: &ToolDefinition,
        args: &str,
    ) -> bool {
        let allowed = lock(&self.0);
        let is_allowed = |args: Option<&str>| {
            let (user, args) = (user.cloned(), args.map(str::to_owned));
            let calls = Calls { user, agent: agent.into(), tool: tool.into(), args };
            allowed.get(&calls).is_some_and(|seen| *seen == Seen::of(definition))
        };
        !allowed.is_empty() && (is_allowed(None) || is_allowed(Some(args)))
    }
}
