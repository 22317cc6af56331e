//! A tool and a guardrail that take a service: they work in every program that provides one, whatever its state is.

use std::sync::LazyLock;

use onionskin_core::guardrails::InputGuardrail;
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
use serde_json::json;

/// The people that a program knows. It provides one as an `Arc<dyn Contacts>`.
pub trait Contacts: Send + Sync {
    /// The account of a person.
    fn account_of(&self, name: &str) -> Option<String>;
}

/// Finds the account of a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct FindAccount;

static DEFINITION: LazyLock<ToolDefinition> = LazyLock::new(|| {
    ToolDefinition::new(FindAccount::NAME, "Finds the account of a person.")
        .with_input_schema(json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
            "additionalProperties": false,
        }))
        .takes_service::<dyn Contacts>()
});

impl Tool for FindAccount {
    const NAME: &'static str = "find_account";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &DEFINITION
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let name = args["name"].as_str().unwrap_or_default();
        let account = cx.provided::<dyn Contacts>()?.account_of(name);
        Ok(ToolOutput::text(account.ok_or_else(|| format!("nothing is known of `{name}`"))?))
    }
}

/// Refuses payments to people whom the program does not know.
#[derive(Debug, Clone, Copy)]
pub struct ToKnown;

impl InputGuardrail for ToKnown {
    type Made = onionskin_core::made::AtRunTime;

    async fn check(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        let to = args["to"].as_str().unwrap_or_default();
        let known = cx.provided::<dyn Contacts>()?.account_of(to.trim());
        known.map(drop).ok_or_else(|| format!("`{to}` is not in the contacts").into())
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<dyn Contacts>();
    }
}
