//! Approval of calls: the approver, its requests and its answers.

pub use onionskin_tools::approval::{Always, Approval, ApprovalRequest, Approver, NeedsApproval, Resolution};
pub use onionskin_tools::policy::RequireApproval;
