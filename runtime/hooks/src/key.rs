//! What calls have in common that share a limit.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use onionskin_core::{RunContext, ToolContext};

/// Which calls share a limit, a circuit or a slot: those with one key. The default is [`Self::tool`].
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::{CallKey, RateLimit};
///
/// // 60 calls a minute for each user, of all tools of the hook together.
/// let for_each_user = RateLimit::new(60, Duration::from_secs(60)).keyed_by(CallKey::user());
/// // 60 calls a minute for each server.
/// let by_server = CallKey::new(|cx| cx.server_name().unwrap_or("none").to_owned());
/// let for_each_server = RateLimit::new(60, Duration::from_secs(60)).keyed_by(by_server);
/// # drop((for_each_user, for_each_server));
/// ```
#[derive(Clone, Default)]
pub struct CallKey(Kind);

#[derive(Clone, Default)]
enum Kind {
    #[default]
    Tool,
    User,
    Session,
    Function(Arc<dyn Fn(&ToolContext) -> String + Send + Sync>),
}

impl CallKey {
    /// The calls of one tool, of all agents and users.
    #[must_use]
    pub fn tool() -> Self {
        Self(Kind::Tool)
    }

    /// The calls of one user ([`RunContext::user`](onionskin_core::RunContext::user)), of all tools. Runs without a user share one key.
    #[must_use]
    pub fn user() -> Self {
        Self(Kind::User)
    }

    /// The calls of one session ([`Session::id`](onionskin_core::Session::id)), of all tools. A run without a session has a key of its own, with
    /// its children.
    #[must_use]
    pub fn session() -> Self {
        Self(Kind::Session)
    }

    /// The calls for which a function returns the same text. A function that panics ends the run.
    #[must_use]
    pub fn new(key: impl Fn(&ToolContext) -> String + Send + Sync + 'static) -> Self {
        Self(Kind::Function(Arc::new(key)))
    }

    /// Whether it is [`Self::tool`], the default.
    pub(crate) fn is_tool(&self) -> bool {
        matches!(self.0, Kind::Tool)
    }

    /// The key of a call.
    pub(crate) fn for_call<'c>(&self, cx: &'c ToolContext) -> Cow<'c, str> {
        match &self.0 {
            Kind::Tool => cx.tool_name().into(),
            Kind::User => cx.run().user().unwrap_or_default().into(),
            Kind::Session => session_of(cx.run()).into(),
            Kind::Function(key) => key(cx).into(),
        }
    }
}

/// The session of a run, or the run itself without one. Unlike [`RunContext::session_number`], it never names another session later.
pub(crate) fn session_of(run: &RunContext) -> String {
    let run = root(run);
    match run.session() {
        Some(session) => format!("session {}", session.id()),
        None => format!("run {}", run.run_id()),
    }
}

/// The outermost run, which ends last.
pub(crate) fn root(mut run: &RunContext) -> &RunContext {
    while let Some(parent) = run.parent() {
        run = parent;
    }
    run
}

impl fmt::Debug for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Tool => "tool",
            Kind::User => "user",
            Kind::Session => "session",
            Kind::Function(_) => "function",
        })
    }
}
