//! A tool on the agent's state, with all its stages.

use std::sync::LazyLock;

use onionskin_core::{
    Args, Effect, Exit, Inject, State, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The state of the bank's agents: one account, and what was paid from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bank {
    /// The balance, in cents.
    pub cents: u64,
    /// The receivers and the amounts.
    pub paid: Vec<(String, u64)>,
}

/// Makes payments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Transfer;

static DEFINITION: LazyLock<ToolDefinition> = LazyLock::new(|| {
    let mut definition = ToolDefinition::new(Transfer::NAME, "Transfers money from the account.")
        .with_input_schema(json!({
            "type": "object",
            "properties": {
                "to": { "type": "string", "description": "The receiver." },
                "cents": { "type": "integer", "minimum": 1, "description": "The amount, in cents." },
            },
            "required": ["to", "cents"],
            "additionalProperties": false,
        }));
    definition.effect = Effect::Once;
    definition.instructions = Some("Amounts are in cents.".into());
    definition
});

/// The arguments, as the schema has them.
#[derive(Deserialize)]
struct Order {
    to: String,
    cents: u64,
}

impl Tool for Transfer {
    const NAME: &'static str = "transfer";
    type State = State<Bank>;

    fn definition(&self) -> &ToolDefinition {
        &DEFINITION
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let bank = State::<Bank>::inject(cx)?;
        let Order { to, cents } = args.read()?;
        let mut left = None;
        bank.update(|bank| {
            left = bank.cents.checked_sub(cents);
            if let Some(left) = left {
                bank.cents = left;
                bank.paid.push((to.clone(), cents));
            }
        });
        let left = left.ok_or("the account does not hold that much")?;
        Ok(ToolOutput::text(format!(
            "paid {cents} cents to {to} from account DE02-1203-0000, {left} are left"
        )))
    }

    /// Adds to each error that no money was moved.
    async fn on_error(&self, _: &ToolContext, error: ToolError) -> ToolResult {
        let text = format!("{} (no money was moved)", error.to_text());
        Err(Exit::Tool(ToolError::new(text).with_kind(error.kind()).with_source(error)))
    }
}
