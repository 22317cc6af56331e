//! An agent's tools as requests have them, the strict ones in the provider's strict dialect.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;

use onionskin_core::export::{Provider, plain_schema, strict_schemas};
use onionskin_core::model::{ModelError, ToolDeclaration};

/// The tools of the agents that ask one model, each in the form that they were made in for the first request.
#[derive(Clone, Default)]
pub(super) struct Declared {
    /// True if a strict tool that the provider does not accept as strict is sent without `strict`.
    where_taken: bool,
    made: Arc<Mutex<Vec<ConvertedTools>>>,
}

struct ConvertedTools {
    of: Weak<[ToolDeclaration]>,
    adapter: &'static str,
    tools: Arc<[WireTool]>,
}

/// A tool as a request has it.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct WireTool {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) schema: Value,
    /// `None` if the field is left out.
    pub(super) strict: Option<bool>,
}

impl Declared {
    pub(super) fn where_taken() -> Self {
        Self { where_taken: true, ..Self::default() }
    }

    /// The tools for a request to a provider that is spoken to in this protocol.
    pub(super) fn tools(
        &self,
        all: &Arc<[ToolDeclaration]>,
        adapter: &'static str,
    ) -> Result<Arc<[WireTool]>, ModelError> {
        if all.is_empty() {
            return Ok(Arc::default());
        }
        let is_same = |made: &ConvertedTools| {
            made.adapter == adapter && std::ptr::eq(made.of.as_ptr(), Arc::as_ptr(all))
        };
        // A panic cannot leave the list half changed, so a poisoned lock is good.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.iter().find(|made| is_same(made)) {
            return Ok(Arc::clone(&made.tools));
        }
        let tools: Arc<[WireTool]> = declare(all, adapter, self.where_taken)?.into();
        made.retain(|made| made.of.strong_count() > 0);
        made.push(ConvertedTools { of: Arc::downgrade(all), adapter, tools: Arc::clone(&tools) });
        Ok(tools)
    }
}

fn declare(all: &[ToolDeclaration], adapter: &str, where_taken: bool) -> Result<Vec<WireTool>, ModelError> {
    let provider = match adapter {
        "openai" | "openai_resp" => Provider::OPENAI,
        "anthropic" => Provider::ANTHROPIC,
        _ => Provider::PLAIN,
    };
    let (schemas, errors) = strict_schemas(provider, all);
    if !errors.is_empty() {
        if !where_taken {
            return Err(ModelError::Tools(errors));
        }
        let plain = all.iter().zip(&schemas).filter(|(tool, schema)| tool.strict && schema.is_none());
        let plain: Vec<_> = plain.map(|(tool, _)| &*tool.name).collect();
        let reasons: Vec<_> = errors.iter().map(ToString::to_string).collect();
        tracing::warn!(tools = plain.join(", "), "sent without `strict`: {}", reasons.join("; "));
    }
    let (mut declared, mut errors) = (Vec::new(), Vec::new());
    for (tool, strict) in all.iter().zip(schemas) {
        let (schema, strict) = match strict {
            Some(schema) => (schema, Some(true)),
            None => match plain_schema(provider, tool) {
                // The Responses API treats a tool without `strict` as strict.
                Ok(schema) => (schema, (adapter == "openai_resp").then_some(false)),
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            },
        };
        let (name, description) = (Arc::clone(&tool.name), Arc::clone(&tool.description));
        declared.push(WireTool { name, description, schema, strict });
    }
    if errors.is_empty() { Ok(declared) } else { Err(ModelError::Tools(errors)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use onionskin_core::ToolDefinition;
    use onionskin_core::export::ExportError;

    #[test]
    fn t5_strict_tools_are_sent_in_the_providers_dialect() {
        let declared = |at: usize, schema: &Value| {
            let definition = ToolDefinition::new("look", "Looks.").with_input_schema(schema.clone());
            let mut declared = ToolDeclaration::new(format!("look_{at}"), &definition);
            declared.strict = true;
            declared
        };
        let sent = |tools: Vec<ToolDeclaration>, adapter: &'static str| {
            let tools = Declared::where_taken().tools(&tools.into(), adapter).unwrap();
            tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect::<Vec<_>>()
        };
        let refused = |tools: Vec<ToolDeclaration>, adapter: &'static str| match Declared::default()
            .tools(&tools.into(), adapter)
            .unwrap_err()
        {
            ModelError::Tools(errors) => errors,
            other => panic!("{other}"),
        };
        let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
        let tool = || vec![declared(0, &schema)];
        for (adapter, required) in
            [("openai", json!(["at"])), ("openai_resp", json!(["at"])), ("anthropic", json!([]))]
        {
            let sent = &sent(tool(), adapter)[0];
            assert_eq!(
                (&sent["strict"], &sent["schema"]["required"]),
                (&json!(true), &required),
                "{adapter}"
            );
        }
        let plain = &sent(tool(), "gemini")[0];
        assert_eq!((&plain["strict"], &plain["schema"]), (&Value::Null, &schema));
        // A dialect without a form for it, and a request with more than the provider takes.
        let itself = json!({
            "type": "object", "properties": {"at": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
        });
        assert_eq!(sent(vec![declared(0, &itself)], "openai")[0]["strict"], true);
        assert_eq!(sent(vec![declared(0, &itself)], "anthropic")[0]["strict"], Value::Null);
        let errors = refused(vec![declared(0, &itself)], "anthropic");
        assert!(
            matches!(&errors[..], [ExportError::Schema { tool, path, .. }] if tool == "look_0" && path == "$.at")
        );
        let none = json!({"type": "object", "properties": {}});
        let mut many: Vec<_> = (0..22).map(|at| declared(at, &none)).collect();
        let strict = |tool: &Value| tool["strict"] == true;
        let sent_many = sent(many.clone(), "anthropic");
        assert!(sent_many[..20].iter().all(strict) && !sent_many[20..].iter().any(strict));
        assert_eq!(sent_many[20]["schema"], none);
        assert!(sent(many.clone(), "openai").iter().all(strict));
        let errors = refused(many.clone(), "anthropic");
        let [ExportError::Limit { subject, found: 21, most: 20, .. }] = &errors[..] else {
            panic!("{errors:?}")
        };
        assert_eq!(subject, "the request with the tool `look_20`");
        // A tool without a form does not count.
        many[3] = declared(3, &itself);
        let sent_many = sent(many, "anthropic");
        assert!(!strict(&sent_many[3]) && strict(&sent_many[20]) && !strict(&sent_many[21]));
        let wide: serde_json::Map<_, _> =
            (0..25).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
        let wide = declared(1, &json!({"type": "object", "properties": wide}));
        let sent_wide = sent(vec![declared(0, &schema), wide, declared(2, &none)], "anthropic");
        assert_eq!(sent_wide.iter().map(strict).collect::<Vec<_>>(), [true, false, false]);
        // Only a plain schema has examples of calls.
        let mut shown = schema.clone();
        shown["examples"] = json!([{"at": "home"}]);
        for adapter in ["openai", "openai_resp", "anthropic"] {
            let sent = &sent(vec![declared(0, &shown)], adapter)[0];
            assert_eq!(sent["strict"], true);
            assert!(!sent.to_string().contains("home"), "{adapter}: {sent}");
        }
        assert_eq!(sent(vec![declared(0, &shown)], "gemini")[0]["schema"], shown);
        assert_eq!(sent(tool(), "gemini")[0]["name"], "look_0");
        assert_eq!(sent(tool(), "gemini")[0]["description"], "Looks.");
        // The Responses API gets an explicit `strict: false`.
        let mut open = tool();
        open[0].strict = false;
        assert_eq!(sent(open.clone(), "openai_resp")[0]["strict"], false);
        assert_eq!(sent(open, "openai")[0]["strict"], Value::Null);
    }
}
