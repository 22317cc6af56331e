//! A tool on the agent's state, with all its stages.

use std::sync::LazyLock;

use onionskin_core::{
    Args, Effect, Exit, Inject, State, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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

/// The arguments in the form of the schema.
fn fitted(args: &Args) -> ToolResult<Map<String, Value>> {
    DEFINITION.fit(args).map_err(|problems| Exit::Tool(DEFINITION.refuse(&problems)))
}

impl Tool for Transfer {
    const NAME: &'static str = "transfer";
    type State = State<Bank>;

    fn definition(&self) -> &ToolDefinition {
        &DEFINITION
    }

    /// Takes the arguments in the form of the schema, or refuses them.
    async fn on_invoke(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        args.replace(fitted(args)?);
        Ok(())
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let bank = State::<Bank>::inject(cx)?;
        let (to, cents) =
            (args["to"].as_str().unwrap_or_default(), args["cents"].as_u64().unwrap_or_default());
        let mut left = None;
        bank.update(|bank| {
            left = bank.cents.checked_sub(cents);
            if let Some(left) = left {
                bank.cents = left;
                bank.paid.push((to.to_owned(), cents));
            }
        });
        let left = left.ok_or("the account does not hold that much")?;
        Ok(ToolOutput::text(format!(
            "paid {cents} cents to {to} from account DE02-1203-0000, {left} are left"
        )))
    }

    /// Refuses wrong arguments before an approver is asked.
    fn check_args(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        fitted(args).map(drop)
    }

    /// Adds to each error that no money was moved.
    async fn on_error(&self, _: &ToolContext, error: ToolError) -> ToolResult {
        let text = format!("{} (no money was moved)", error.to_text());
        Err(Exit::Tool(ToolError::new(text).with_kind(error.kind()).with_source(error)))
    }
}
