//! The calls that a person allowed for the rest of a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::approval::Always;
use onionskin_definitions::definition::{Annotations, ToolDefinition};
use onionskin_definitions::json::{Unique, rounds_any};
use onionskin_definitions::lock::lock;

/// The calls of an agent's tool in the runs of one user: those with these arguments, or all. The arguments are kept whole, because
/// hashes can be forged.
#[derive(PartialEq, Eq, Hash)]
struct Calls {
    user: Option<Arc<str>>,
    agent: Arc<str>,
    tool: Arc<str>,
    args: Option<Given>,
}

/// Arguments, as they are compared.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Given {
    Value(Value),
    /// A value would round a number of them.
    Text(String),
}

impl Given {
    fn new(args: &str) -> Self {
        match serde_json::from_str(args) {
            Ok(Unique(value)) if !rounds_any(args) => Self::Value(value),
            _ => Self::Text(args.to_owned()),
        }
    }
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
            Always::Arguments => Some(Given::new(args)),
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
        let is_allowed = |args: Option<Given>| {
            let calls = Calls { user: user.cloned(), agent: agent.into(), tool: tool.into(), args };
            allowed.get(&calls).is_some_and(|seen| *seen == Seen::of(definition))
        };
        !allowed.is_empty() && (is_allowed(None) || is_allowed(Some(Given::new(args))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u2_the_same_arguments_are_the_same_json() {
        let (allowed, pay) = (Allowed::default(), ToolDefinition::new("pay", "Pays."));
        let add = |args| allowed.add(None, "Clerk", "pay", &pay, args, Always::Arguments);
        let has = |args| allowed.has(None, "Clerk", "pay", &pay, args);
        add(r#"{"to": "a", "cents": 5}"#);
        assert!(has(r#"{"to": "a", "cents": 5}"#) && has(r#"{ "cents":5,"to":"\u0061" }"#));
        for other in [r#"{"to":"a","cents":6}"#, r#"{"to":"a","cents":"5"}"#, r#"{"to":"a"}"#, "{"] {
            assert!(!has(other), "{other}");
        }
        // A value would hold the same number for both, or one of two equal keys.
        for [one, other] in [
            [r#"{"cents":9007199254740993000001}"#, r#"{"cents":9007199254740993000002}"#],
            [r#"{"cents":0.12345678901234567891}"#, r#"{"cents":0.12345678901234567892}"#],
            [r#"{"cents":1,"cents":2}"#, r#"{"cents":2}"#],
        ] {
            add(one);
            assert!(has(one) && !has(other), "{one}");
        }
    }
}
