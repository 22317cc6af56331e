//! The calls that a person allowed for the rest of a session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use crate::approval::Always;
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

/// The calls that need no further approval.
#[derive(Default)]
pub(crate) struct Allowed(Mutex<HashSet<Calls>>);

impl Allowed {
    /// Allows the calls of an agent's tool in the runs of this user: those with these arguments, or all.
    pub(crate) fn add(&self, user: Option<Arc<str>>, agent: &str, tool: &str, args: &str, which: Always) {
        let args = match which {
            Always::Arguments => Some(args.to_owned()),
            Always::Tool => None,
        };
        lock(&self.0).insert(Calls { user, agent: agent.into(), tool: tool.into(), args });
    }

    /// Whether the call needs no further approval in a run of this user.
    pub(crate) fn has(&self, user: Option<&Arc<str>>, agent: &str, tool: &str, args: &str) -> bool {
        let allowed = lock(&self.0);
        let is_allowed = |args: Option<&str>| {
            let (user, args) = (user.cloned(), args.map(str::to_owned));
            allowed.contains(&Calls { user, agent: agent.into(), tool: tool.into(), args })
        };
        !allowed.is_empty() && (is_allowed(None) || is_allowed(Some(args)))
    }
}
