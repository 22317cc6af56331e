//! Converts the protocol's types to the types of core, whose `content` has the blocks of content.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::model::Tool;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{argument_names, normal_schema, resources, wire};
use onionskin_core::ToolOutput;
use onionskin_core::content::ContentBlock;
use onionskin_core::definition::Annotations;
use onionskin_core::{Effect, ToolDefinition};
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};

/// Brings the schema of a tool's arguments into the normal form, and returns what was changed, in words.
///
/// # Errors
/// Returns the reason why no agent can use the tool.
pub(crate) fn normalise(tool: &mut Tool) -> Result<Option<String>, String> {
    let schemas = [("input", Some(&tool.input_schema)), ("output", tool.output_schema.as_ref())];
    for (which, schema) in schemas {
        let Some(schema) = schema else { continue };
        // An outside server wrote it, and a check might not end.
        if let Some(reason) = onionskin_core::schema::unwalkable(&Value::Object((**schema).clone())) {
            return Err(format!("values cannot be checked against its {which} schema: {reason}"));
        }
    }
    if let Some(schema) = &mut tool.output_schema {
        normal_schema::normalise_output(Arc::make_mut(schema));
    }
    let changed = normal_schema::normalise(Arc::make_mut(&mut tool.input_schema))?;
    argument_names::check_parts(&tool.input_schema)?;
    Ok(changed)
}

/// A server's description of a tool, under the name that hooks see.
pub(crate) fn definition(name: &str, tool: Tool) -> ToolDefinition {
    let mut definition = ToolDefinition::new(name, tool.description.unwrap_or_default());
    definition.input_schema = object(tool.input_schema);
    definition.output_schema = tool.output_schema.map(object);
    definition.meta = tool.meta.map(|meta| Arc::new(Value::Object(meta.0)));
    let mut title = tool.title;
    if let Some(hints) = tool.annotations {
        title = title.or(hints.title);
        definition.annotations.read_only = hints.read_only_hint;
        definition.annotations.destructive = hints.destructive_hint;
        definition.annotations.idempotent = hints.idempotent_hint;
        definition.annotations.open_world = hints.open_world_hint;
    }
    definition.title = title.map(Into::into);
    definition.annotations = strict(definition.annotations);
    definition.effect = effect(definition.annotations);
    definition
}

/// Hints that contradict each other, as the stricter says: what destroys does not only read.
fn strict(mut hints: Annotations) -> Annotations {
    if (hints.read_only, hints.destructive) == (Some(true), Some(true)) {
        hints.read_only = Some(false);
    }
    hints
}

/// Whether a call may be repeated, by the server's hints. Without a hint it may not, as in the protocol.
fn effect(hints: Annotations) -> Effect {
    match (hints.read_only, hints.idempotent) {
        (Some(true), _) => Effect::Pure,
        (_, Some(true)) => Effect::Idempotent,
        _ => Effect::Once,
    }
}

fn object(schema: Arc<serde_json::Map<String, Value>>) -> Arc<Value> {
    Arc::new(Value::Object(Arc::unwrap_or_clone(schema)))
}

/// The result in the answer to a call. An error of the tool keeps its content.
pub(super) fn result(server: &str, answer: &str) -> ToolResult {
    let text = answer;
    if !text.starts_with('{') {
        return Err(unusable(server, "gave an answer that is not a tool result"));
    }
    let answer: CallAnswer<'_> = match serde_json::from_str(text) {
        Ok(answer) => answer,
        Err(error) => return Err(unusable_json(server, &error)),
    };
    match answer.result_type.as_deref() {
        None | Some("complete") => {}
        Some(_) => return Err(unusable(server, "gave an answer of a kind that is not supported yet")),
    }
    if answer.task.is_some() {
        return Err(unusable(server, "made a task of the call, which is not supported yet"));
    }
    if answer.is_foreign(text) {
        return Err(unusable(server, "gave an answer that is not a tool result"));
    }
    let mut content = answer.content.unwrap_or_default();
    content.iter_mut().for_each(resources::make_readable);
    let mut output = ToolOutput::blocks(content);
    if let Some(structured) = answer.structured_content.filter(|structured| structured.get() != "null") {
        // The model sees the content only, and numbers as the server wrote them: a value of them may be rounded.
        if output.to_text().trim().is_empty() {
            output.content_only_mut().retain(|block| block.as_text().is_none());
            output.push_text(structured.get());
        }
        let structured: Value =
            serde_json::from_str(structured.get()).map_err(|error| unusable_json(server, &error))?;
        output.set_remote_structured(structured);
    }
    if let Some(meta) = answer.meta {
        output.set_remote_meta(meta);
    }
    if answer.is_error.unwrap_or_default() {
        return Err(Exit::Tool(ToolError::from_output(ErrorKind::Remote, output)));
    }
    Ok(output)
}

/// The error that the model gets for an answer that cannot be read.
pub(super) fn unreadable(server: &str, reason: &str) -> String {
    format!(
        "the MCP server `{server}` gave an answer that cannot be read: {reason}. The call may have taken effect; the \
         same call will fail again"
    )
}

fn unusable_json(server: &str, error: &serde_json::Error) -> Exit {
    let text = unreadable(server, &wire::reason(error));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Unreadable))
}

fn unusable(server: &str, what: &str) -> Exit {
    Exit::Tool(ToolError::new(format!("the MCP server `{server}` {what}")).with_kind(ErrorKind::Remote))
}

/// The result of a call. The library's type for it takes no block that it does not know; ours are kept as their JSON. Python writes the fields of
/// a model in snake case if its aliases are not asked for. A field in both spellings is an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallAnswer<'a> {
    #[serde(alias = "result_type")]
    result_type: Option<String>,
    content: Option<Vec<ContentBlock>>,
    #[serde(borrow, alias = "structured_content")]
    structured_content: Option<&'a RawValue>,
    #[serde(alias = "is_error")]
    is_error: Option<bool>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
    task: Option<IgnoredAny>,
}

impl CallAnswer<'_> {
    /// Whether it has no field of a result. `text` is not such a field. The empty object is an empty result.
    fn is_foreign(&self, text: &str) -> bool {
        let known = self.content.is_some() || self.structured_content.is_some() || self.is_error.is_some();
        !known
            && serde_json::from_str::<HashMap<String, &RawValue>>(text)
                .is_ok_and(|fields| fields.keys().any(|key| key != "_meta" && key != "resultType"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "it is made for the call")]
    fn answer(value: Value) -> ToolResult {
        result("s", &value.to_string())
    }

    #[test]
    fn a4_every_kind_of_block_is_kept() {
        let blocks = json!([
            {"type": "text", "text": "t", "annotations": {"audience": ["user"]}},
            {"type": "image", "data": "aQ==", "mimeType": "image/png"},
            {"type": "audio", "data": "aQ==", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "a://b", "text": "r"}},
            {"type": "resource_link", "uri": "a://c", "name": "c"},
        ]);
        let output = answer(json!({"content": blocks, "_meta": {"k": 1}})).unwrap();
        assert!(matches!(
            output.content(),
            [
                ContentBlock::Text(_),
                ContentBlock::Image(_),
                ContentBlock::Audio(_),
                ContentBlock::Resource(_),
                ContentBlock::ResourceLink(_)
            ]
        ));
        assert_eq!(output.remote_meta(), Some(&json!({"k": 1})));
    }

    #[test]
    fn a4_the_type_of_a_file_is_read_in_snake_case_too() {
        let blocks = json!([
            {"type": "image", "data": "aQ==", "mime_type": "image/png"},
            {"type": "resource", "resource": {"uri": "a://b", "blob": "/w==", "mime_type": "application/pdf"}},
            {"type": "resource_link", "uri": "a://c", "name": "c", "mime_type": "text/csv"},
        ]);
        let output = answer(json!({"content": blocks})).unwrap();
        let [ContentBlock::Image(image), ContentBlock::Resource(file), ContentBlock::ResourceLink(link)] =
            output.content()
        else {
            panic!("{output:?}")
        };
        let kinds = [Some(image.mime_type()), file.mime_type(), link.mime_type()];
        assert_eq!(kinds, [Some("image/png"), Some("application/pdf"), Some("text/csv")]);
    }

    #[test]
    fn a4_unknown_blocks_are_kept_as_json() {
        let output = answer(json!({"content": [{"type": "smell", "odour": "mint"}]})).unwrap();
        // Compared as a value: a dependency of a program may keep the order of keys, or sort them.
        let stored: Value = serde_json::from_str(&output.to_text()).unwrap();
        assert_eq!(stored, json!({"type": "smell", "odour": "mint"}));
    }

    #[test]
    fn a4_an_error_keeps_content_structure_and_meta() {
        let content = json!([{"type": "text", "text": "no"}]);
        let value =
            json!({"content": content, "isError": true, "structuredContent": {"a": 1}, "_meta": {"b": 2}});
        let exit = answer(value).unwrap_err();
        let error = exit.as_tool_error().unwrap();
        assert_eq!(error.kind(), ErrorKind::Remote);
        assert_eq!(error.to_text(), "no");
        assert_eq!(*error.output().structured_content().unwrap(), json!({"a": 1}));
        assert_eq!(error.output().remote_meta(), Some(&json!({"b": 2})));
    }

    #[test]
    fn a4_structured_content_without_text_is_the_text() {
        for content in [json!(null), json!([]), json!([{"type": "text", "text": " "}])] {
            let output = answer(json!({"content": content, "structuredContent": {"a": 1}})).unwrap();
            assert_eq!(output.to_text(), r#"{"a":1}"#, "{content}");
            assert_eq!(*output.structured_content().unwrap(), json!({"a": 1}));
        }
        assert_eq!(answer(json!({"structuredContent": [1]})).unwrap().to_text(), "[1]");
        let long = r#"{"structuredContent":{"id":12345678901234567890123,"p":0.1000000000000000055}}"#;
        let text = result("s", long).unwrap().to_text().into_owned();
        assert_eq!(text, r#"{"id":12345678901234567890123,"p":0.1000000000000000055}"#);
        let picture = json!([{"type": "image", "data": "aQ==", "mimeType": "image/png"}]);
        let output = answer(json!({"content": picture, "structuredContent": {"a": 1}})).unwrap();
        assert!(matches!(output.content(), [ContentBlock::Image(_), ContentBlock::Text(_)]));
        let text = json!([{"type": "text", "text": "one"}]);
        let output = answer(json!({"content": text, "structuredContent": {"a": 1}})).unwrap();
        assert_eq!(output.to_text(), "one");
    }

    #[test]
    fn a4_an_error_without_text_says_so() {
        for content in [json!(null), json!([]), json!([{"type": "text", "text": "\n"}])] {
            let exit = answer(json!({"content": content, "isError": true})).unwrap_err();
            assert_eq!(exit.as_tool_error().unwrap().to_text(), "the tool failed and gave no reason");
        }
        let exit = answer(json!({"isError": true, "structuredContent": {"code": 7}})).unwrap_err();
        assert_eq!(exit.as_tool_error().unwrap().to_text(), r#"{"code":7}"#);
    }

    #[test]
    fn a4_answers_that_are_no_result_are_errors() {
        for value in [json!({"tools": []}), json!({"strange": 1}), json!([1])] {
            let exit = answer(value).unwrap_err();
            assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Remote);
        }
    }
}
