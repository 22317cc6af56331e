//! A guardrail or a rule for approval of a declaration.

use super::identities::{Filtered, HookType};
use onionskin_tools::approval::ApprovalRule;
use onionskin_tools::policy::OnCalls;

/// A guardrail of a declaration, with the data for its card.
pub(crate) struct DeclaredGuardrail<G: ?Sized> {
    pub(in crate::agent) on_calls: OnCalls<G>,
    pub(in crate::agent) ty: HookType,
    /// The filter, if there is one.
    pub(in crate::agent) filter: Option<Filtered>,
}

/// A rule for approval of a declaration, with the data for its card.
pub(crate) struct DeclaredApproval {
    pub(in crate::agent) on_calls: OnCalls<ApprovalRule>,
    pub(in crate::agent) rule: RuleSource,
    /// The filter, if there is one.
    pub(in crate::agent) filter: Option<Filtered>,
}

/// Where a rule for approval comes from.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub enum RuleSource {
    /// Each call needs approval, for this reason.
    Always(Option<String>),
    /// Code decides.
    Code,
}
