//! What the definitions of the tools have in common.

use onionskin_core::{Effect, ToolDefinition};
use serde_json::{Value, json};

/// The definition of a tool with these arguments, of which some are required. The hints for clients follow from the effect.
pub(crate) fn definition(
    name: &str,
    description: &str,
    effect: Effect,
    required: &[&str],
    arguments: Value,
) -> ToolDefinition {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = arguments;
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = false.into();
    let mut definition = ToolDefinition::new(name, description).built_in().with_input_schema(schema);
    definition.annotations.read_only = Some(!effect.may_act());
    if effect.may_act() {
        definition.annotations.destructive = Some(true);
        definition.annotations.idempotent = Some(effect == Effect::Idempotent);
    }
    definition.effect = effect;
    definition
}
