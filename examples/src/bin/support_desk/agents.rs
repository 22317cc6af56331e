//! The desk, and the two agents that it asks.

use onionskin::guardrails::{MaskPii, RejectInjection, max_input};
use onionskin::{Provided, ToolError, ToolResult, agent, tool};
use serde::{Deserialize, Serialize};

use crate::orders::Orders;

/// The customer who writes: the state of the agents, and a part of the desk's prompt.
#[derive(Debug, Clone)]
pub(crate) struct Customer {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) visits: u32,
}

/// What the desk answers, for the customer and for the shop's records.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Resolution {
    /// What the customer reads.
    pub(crate) reply: String,
    /// The numbers of the orders that it was about.
    pub(crate) orders: Vec<u32>,
    pub(crate) refunded_cents: u32,
    /// Whether a person has to look after it.
    pub(crate) needs_person: bool,
}

/// Tells where a parcel is.
#[tool(effect = pure)]
fn track_parcel(
    /// The parcel's number, such as P-81.
    parcel: &str,
) -> ToolResult<String> {
    match parcel {
        "P-81" => Ok("in the van since 8:10; the driver has the telephone +44 20 7946 0018".to_owned()),
        "P-70" | "P-90" => Ok("delivered".to_owned()),
        _ => Err(ToolError::new(format!("the carrier does not know {parcel}")).into()),
    }
}

/// Pays an order back.
#[tool(state = Customer, approval, effect = once)]
fn refund(
    orders: Provided<Orders>,
    #[bind(email)] email: String,
    /// The order's number.
    number: u32,
    /// Why the customer gets the money back.
    reason: &str,
) -> ToolResult<String> {
    let cents = orders.pay_back(&email, number)?;
    Ok(format!("{cents} cents of order {number} were paid back: {reason}"))
}

agent! {
    pub(crate) SupportDesk {
        default: true,
        role: "the support desk of a small shop",
        instruction: "The customer is {name}, who writes for the {visits}. time. Ask the carrier about parcels, and the accounts about money.",
        state: Customer,
        toolboxes: [Orders],
        agents: [Carrier, Accounts],
        run_hooks: [max_input(4_000), RejectInjection, MaskPii],
        output: Resolution,
    }

    Carrier {
        description: "Knows where parcels are.",
        instruction: "Say where the parcel is.",
        function_tools: [track_parcel],
        run_hooks: [MaskPii],
    }

    Accounts {
        description: "Pays orders back.",
        instruction: "Pay an order back if the reason is good.",
        state: Customer,
        function_tools: [refund],
    }
}
