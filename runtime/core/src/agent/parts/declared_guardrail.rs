//! A guardrail of a declaration.

use super::identities::{Filtered, HookType};
use onionskin_tools::policy::OnCalls;

/// A guardrail of a declaration, with the data for its card.
pub(crate) struct DeclaredGuardrail<G: ?Sized> {
    pub(in crate::agent) on_calls: OnCalls<G>,
    pub(in crate::agent) ty: HookType,
    /// The filter, if there is one.
    pub(in crate::agent) filter: Option<Filtered>,
}
