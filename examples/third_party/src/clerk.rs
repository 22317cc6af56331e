//! [`Clerk`] is an agent that is written by hand.

use onionskin_core::declaration::{AgentBuilder, AgentDeclaration};
use onionskin_core::{Agent, ToolSpec};

use crate::{AuditTrail, Bank, HideAccounts, NotTo, RateTable, Transfer, UpTo};

/// Keeps an account: it converts amounts and makes payments.
#[derive(Debug, Clone, Copy)]
pub struct Clerk;

impl Agent for Clerk {
    const NAME: &'static str = "clerk";
    type State = Bank;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new()
            .description("Keeps an account.")
            .instruction("Convert amounts and make the payments that you are asked for.")
            .server("rates", None)
            .record_state::<Bank>()
    }
}

/// A clerk that pays with [`Transfer`], limited by guardrails and an approver, and writes each call on `trail`.
pub fn clerk(bank: Bank, table: RateTable, trail: AuditTrail) -> AgentBuilder<Clerk> {
    let mut transfer = ToolSpec::new(Transfer);
    transfer.approval().add_input_guardrails(NotTo("casino")).add_output_guardrails(HideAccounts);
    Clerk::builder()
        .state(bank)
        .server("rates", table)
        .tool(transfer)
        .hook(trail)
        .approver(UpTo { cents: 50_000 })
}
