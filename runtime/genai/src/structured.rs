//! Answers of a type as the structured output of a provider.

use genai::adapter::AdapterKind;
use serde_json::{Map, Value};

use onionskin_core::export::Dialect;
use onionskin_core::model::ResponseSchema;

use crate::names::{base, namespace_and_name};

/// Models that are older than the structured output of their providers, by the beginnings of their names.
const OLDER: &[&str] = &[
    "gpt-3.5",
    "gpt-4-",
    "gpt-4o-2024-05-13",
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2025",
    "claude-opus-4-0",
    "claude-opus-4-2025",
    "gemini-1",
];

/// The schema in the rules of the provider; `None` if the model takes none.
#[expect(clippy::wildcard_enum_match_arm, reason = "adapters of genai that are not known to take a schema")]
pub(super) fn schema(
    name: &str,
    adapter: AdapterKind,
    has_tools: bool,
    schema: &ResponseSchema,
) -> Option<ResponseSchema> {
    let name = base(namespace_and_name(name).1);
    if name == "gpt-4" || OLDER.iter().any(|older| name.starts_with(older)) {
        return None;
    }
    match adapter {
        AdapterKind::OpenAI | AdapterKind::OpenAIResp => schema.in_dialect(&Dialect::OPENAI).ok(),
        AdapterKind::Anthropic => schema.in_dialect(&Dialect::ANTHROPIC).ok(),
        // It takes any schema, but not beside tools.
        AdapterKind::Gemini if !has_tools => Some(schema.clone()),
        _ => None,
    }
}

/// Whether these extra fields turn thinking on, beside which Anthropic, Bedrock, `DeepSeek` and Kimi refuse a forced call of a tool.
pub(super) fn turns_thinking_on(extra_body: &Map<String, Value>) -> bool {
    let fields =
        extra_body.get("additionalModelRequestFields").and_then(Value::as_object).unwrap_or(extra_body);
    let thinking = ["thinking", "reasoning_config"].iter().find_map(|name| fields.get(*name)?.get("type"));
    thinking.is_some_and(|kind| kind != "disabled")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn weather() -> ResponseSchema {
        let wind = json!({ "type": ["integer", "null"], "maximum": 9 });
        let properties = json!({ "city": { "type": "string" }, "wind": wind });
        let schema = json!({ "type": "object", "properties": properties, "required": ["city"], "additionalProperties": false });
        ResponseSchema::new("weather", schema).unwrap()
    }

    fn open() -> ResponseSchema {
        let all = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
        let schema = json!({ "type": "object", "properties": { "all": all }, "required": ["all"] });
        ResponseSchema::new("open", schema).unwrap()
    }

    #[test]
    fn a8_each_provider_gets_the_schema_in_its_own_rules() {
        let weather = weather();
        let of = |name, adapter, tools| schema(name, adapter, tools, &weather);
        let openai = of("gpt-5", AdapterKind::OpenAI, true).unwrap();
        assert_eq!(openai.schema()["required"], json!(["city", "wind"]));
        let anthropic = of("claude-sonnet-4-5", AdapterKind::Anthropic, true).unwrap();
        assert_eq!(anthropic.schema()["required"], json!(["city"]));
        assert!(anthropic.schema()["properties"]["wind"].get("maximum").is_none());
        assert_eq!(of("gemini-2.5-pro", AdapterKind::Gemini, false), Some(weather.clone()));
    }

    #[test]
    fn a8_what_a_provider_does_not_take_is_asked_for_as_a_call() {
        let weather = weather();
        let of = |name, adapter, tools| schema(name, adapter, tools, &weather);
        assert_eq!(of("gemini-2.5-pro", AdapterKind::Gemini, true), None);
        for (name, adapter) in [
            ("gpt-4", AdapterKind::OpenAI),
            ("gpt-3.5-turbo", AdapterKind::OpenAI),
            ("anthropic::claude-3-5-haiku-latest", AdapterKind::Anthropic),
            ("deepseek-chat", AdapterKind::DeepSeek),
            ("qwen3", AdapterKind::Ollama),
        ] {
            assert_eq!(of(name, adapter, false), None, "{name}");
        }
        assert!(of("gpt-4o", AdapterKind::OpenAI, false).is_some());
        let open = open();
        assert_eq!(schema("gpt-5", AdapterKind::OpenAI, false, &open), None);
        assert_eq!(schema("claude-sonnet-4-5", AdapterKind::Anthropic, false, &open), None);
    }
}
