//! [`UpTo`] approves payments up to an amount.

use onionskin_core::approval::{Approval, ApprovalRequest, Approver};

/// Approves payments up to an amount.
#[derive(Debug, Clone, Copy)]
pub struct UpTo {
    /// The most that one payment may be.
    pub cents: u64,
}

impl Approver for UpTo {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        match request.args().get("cents").and_then(serde_json::Value::as_u64) {
            Some(cents) if cents <= self.cents => Approval::Allow,
            Some(cents) => Approval::deny(format!("{cents} cents are more than {}", self.cents)),
            None => Approval::deny("the amount is missing"),
        }
    }
}
