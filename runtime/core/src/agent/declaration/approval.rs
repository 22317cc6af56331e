//! The calls of an agent that need approval.

use std::sync::Arc;

use onionskin_definitions::args::Args;
use onionskin_tools::approval::{Needed, NeedsApproval};

use crate::agent::parts::declared_guardrail::{DeclaredApproval, RuleSource};

use super::AgentDeclaration;
use super::call_filter::CallFilter;

/// The field, in the texts about its filters.
const APPROVAL: &str = "approval";

impl AgentDeclaration {
    /// Requires approval for calls of the agent, whatever the source of the tool: functions, servers, children
    /// and built-in tools. `on` selects the tools, once for each table of tools; `None`: all. Rules of the tools
    /// themselves still apply.
    ///
    /// The approver of the run answers, and without one the run pauses
    /// ([`RunError::Paused`](crate::RunError::Paused)). The call waits inside its hooks and the guardrails of the
    /// agent, and inside the tool's own hooks.
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, CallFilter};
    ///
    /// let of_git = CallFilter::new(|call| call.server_name() == Some("git"));
    /// let clerk = AgentDeclaration::new().instruction("Commit.").server("git", None).approval(Some(of_git));
    /// # let _ = clerk;
    /// ```
    #[must_use]
    pub fn approval(self, on: Option<CallFilter>) -> Self {
        self.approval_always(None, on)
    }

    /// As [`Self::approval`], for the calls for which `rule` returns `true`, or `Some` with a reason. Several
    /// rules can select one tool: a call needs approval if one of them requires it.
    ///
    /// ```
    /// use onionskin::Args;
    /// use onionskin::declaration::{AgentDeclaration, CallFilter};
    ///
    /// let is_large = |args: &Args| args["cents"].as_u64().is_none_or(|cents| cents > 1_000);
    /// let on_pay = CallFilter::new(|call| call.tool_name() == "pay").names("pay");
    /// let payer = AgentDeclaration::new().instruction("Pay.").approval_if(is_large, Some(on_pay));
    /// # let _ = payer;
    /// ```
    #[must_use]
    pub fn approval_if<R: NeedsApproval>(
        self,
        rule: impl Fn(&Args) -> R + Send + Sync + 'static,
        on: Option<CallFilter>,
    ) -> Self {
        self.approval_rule(Arc::new(move |args| rule(args).needed()), on)
    }

    /// As [`Self::approval`], with a reason for the person.
    #[must_use]
    pub fn approval_because(self, reason: impl Into<String>, on: Option<CallFilter>) -> Self {
        self.approval_always(Some(reason.into()), on)
    }

    /// As [`Self::approval_if`], for a rule that several agents can have.
    #[doc(hidden)]
    #[must_use]
    pub fn approval_rule(self, rule: Needed, on: Option<CallFilter>) -> Self {
        self.with_approval(rule, RuleSource::Code, on)
    }

    fn approval_always(self, reason: Option<String>, on: Option<CallFilter>) -> Self {
        let source = RuleSource::Always(reason.clone());
        self.with_approval(Arc::new(move |_| Some(reason.clone())), source, on)
    }

    fn with_approval(mut self, rule: Needed, source: RuleSource, on: Option<CallFilter>) -> Self {
        if on.as_ref().is_some_and(|on| on.is_everywhere) {
            self.parts.guardrail_everywhere = Some(format!("`{APPROVAL}`"));
        }
        let (on_calls, filter) = self.on_calls(APPROVAL, rule, on);
        self.parts.approval.push(DeclaredApproval { on_calls, rule: source, filter });
        self
    }
}
