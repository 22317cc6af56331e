//! Calls that a person allowed for the rest of a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::approval::Always;
use onionskin_definitions::definition::{Annotations, ToolDefinition};
use onionskin_definitions::json::{Unique, rounds_any};
use onionskin_definitions::lock::lock;

/// The allowed calls of an agent's tool for one user: those with these arguments, or all. The arguments are
/// stored whole, because hashes can be forged.
#[derive(PartialEq, Eq, Hash)]
struct Calls {
    user: Option<Arc<str>>,
    agent: Arc<str>,
    tool: Arc<str>,
    args: Option<ComparableArgs>,
}

/// Arguments in a comparable form.
#[derive(Clone, PartialEq, Eq, Hash)]
enum ComparableArgs {
    Value(Value),
    /// The text, because a value would round one of the numbers.
    Text(String),
}

impl ComparableArgs {
    fn new(args: &str) -> Self {
        match serde_json::from_str(args) {
            Ok(Unique(value)) if !rounds_any(args) => Self::Value(value),
            _ => Self::Text(args.to_owned()),
        }
    }
}

/// A server's description of a tool when a person allowed its calls. A server may change its tools, and the
/// person has not seen the changed tool.
#[derive(PartialEq)]
struct ServerDescription {
    description: Arc<str>,
    input_schema: Arc<Value>,
    annotations: Annotations,
}

impl ServerDescription {
    /// `None` for a tool of the program, which cannot change during the session.
    fn new(tool: &ToolDefinition) -> Option<Self> {
        tool.is_of_server.then(|| Self {
            description: Arc::clone(&tool.description),
            input_schema: Arc::clone(&tool.input_schema),
            annotations: tool.annotations,
        })
    }
}

/// The calls that need no further approval.
#[derive(Default)]
pub(crate) struct Allowed(Mutex<HashMap<Calls, Option<ServerDescription>>>);

impl Allowed {
    /// Allows calls of an agent's tool for this user: those with these arguments, or all.
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
            Always::Arguments => Some(ComparableArgs::new(args)),
            Always::Tool => None,
        };
        let calls = Calls { user, agent: agent.into(), tool: tool.into(), args };
        lock(&self.0).insert(calls, ServerDescription::new(definition));
    }

    /// Whether a call for this user needs no further approval.
    pub(crate) fn has(
        &self,
        user: Option<&Arc<str>>,
        agent: &str,
        tool: &str,
        definition: &ToolDefinition,
        args: &str,
    ) -> bool {
        let allowed = lock(&self.0);
        let is_allowed = |args: Option<ComparableArgs>| {
            let calls = Calls { user: user.cloned(), agent: agent.into(), tool: tool.into(), args };
            allowed.get(&calls).is_some_and(|recorded| *recorded == ServerDescription::new(definition))
        };
        !allowed.is_empty() && (is_allowed(None) || is_allowed(Some(ComparableArgs::new(args))))
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
