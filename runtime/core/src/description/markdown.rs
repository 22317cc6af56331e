//! Describes agents as a page of Markdown.

use std::fmt::Write as _;

use serde_json::Value;

use super::{AgentDescription, AppDescription, ToolDescription};
use onionskin_definitions::definition::{Effect, ToolSource, UiMode};

/// The whole page.
pub(super) fn page(app: &AppDescription) -> String {
    let mut page = "# Agents\n\n".to_owned();
    _ = writeln!(page, "```mermaid\n{}```", app.to_mermaid());
    for agent in &app.agents {
        page.push('\n');
        write_agent(&mut page, agent);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn write_agent(page: &mut String, agent: &AgentDescription) {
    _ = writeln!(page, "## {}\n", agent.name);
    if let Some(description) = &agent.description {
        _ = writeln!(page, "{description}\n");
    }
    let rows = [
        ("model", agent.model.iter().cloned().collect()),
        ("children", agent.children.clone()),
        ("servers", agent.servers.clone()),
        ("hooks around runs", agent.run_hooks.clone()),
        ("hooks around turns", agent.turn_hooks.clone()),
        ("hooks on messages", agent.message_hooks.clone()),
    ];
    let rows: Vec<_> = rows.into_iter().filter(|(_, names): &(_, Vec<String>)| !names.is_empty()).collect();
    let answers = agent.answer.iter().zip(&agent.answer_schema).next();
    if !rows.is_empty() || answers.is_some() {
        page.push_str("| | |\n|---|---|\n");
        for (what, names) in rows {
            let names: Vec<_> = names.iter().map(|name| format!("`{}`", cell(name))).collect();
            _ = writeln!(page, "| {what} | {} |", names.join(", "));
        }
        if let Some((name, schema)) = answers {
            _ = writeln!(page, "| answers | `{}`: {} |", cell(name), result_of(schema));
        }
        page.push('\n');
    }
    for tool in &agent.tools {
        write_tool(page, tool);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
}

fn write_tool(page: &mut String, tool: &ToolDescription) {
    _ = writeln!(page, "### `{}`\n", tool.name);
    let from = match (tool.source, &tool.server) {
        (_, Some(server)) => format!("Tool of the server `{server}`."),
        (ToolSource::Agent, None) => "Child agent.".to_owned(),
        (ToolSource::Runtime, None) => "Built-in tool.".to_owned(),
        (_, None) => "Tool of the program.".to_owned(),
    };
    let effect = match tool.effect {
        Effect::Pure => " It changes nothing.",
        Effect::Idempotent | Effect::Unstated => "",
        Effect::Once => " Its effect must not occur twice.",
    };
    let asks = match (tool.approval, tool.questions) {
        (true, _) => " A call can need approval.",
        (false, true) => " A call can ask a person.",
        (false, false) => "",
    };
    let ui = match (&tool.component, tool.mode) {
        (Some(component), Some(UiMode::Inline)) => {
            format!(" It shows `{}` in the conversation.", cell(component))
        }
        (Some(component), Some(UiMode::Artifact)) => format!(" It shows `{}` in a panel.", cell(component)),
        (_, _) => String::new(),
    };
    let cache = if tool.is_cached { " Its results are cached." } else { "" };
    _ = writeln!(page, "{from}{effect}{cache}{asks}{ui}\n");
    if !tool.description.is_empty() {
        let description = tool.description.trim();
        let shown = if tool.source.is_server() { quoted(description) } else { description.to_owned() };
        _ = writeln!(page, "{shown}\n");
    }
    write_parameters(page, &tool.input_schema);
    if let Some(schema) = &tool.output_schema {
        _ = writeln!(page, "Result: {}\n", result_of(schema));
    }
    let guardrails = [("Its arguments", &tool.input_guardrails), ("Its results", &tool.output_guardrails)];
    for (what, names) in guardrails.into_iter().filter(|(_, names)| !names.is_empty()) {
        let names: Vec<_> = names.iter().map(|name| format!("`{}`", cell(name))).collect();
        _ = writeln!(page, "{what} pass {}.\n", names.join(", "));
    }
    if !tool.hooks.is_empty() {
        page.push_str("```text\n");
        for (depth, hook) in tool.hooks.iter().chain([&tool.name]).enumerate() {
            let branch = if depth == 0 { "" } else { "└ " };
            _ = writeln!(page, "{}{branch}{hook}", "  ".repeat(depth.saturating_sub(1)));
        }
        page.push_str("```\n\n");
    }
}

fn write_parameters(page: &mut String, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty())
    else {
        return;
    };
    let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    page.push_str("| parameter | type | |\n|---|---|---|\n");
    for (name, property) in properties {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = cell(description).replace('<', "&lt;");
        _ = writeln!(page, "| `{}` | {}{optional} | {description} |", cell(name), type_of(property));
    }
    page.push('\n');
}

/// The type of a result. MCP requires an object, so any other value is in a field `result`.
fn result_of(schema: &Value) -> String {
    let fields = schema.get("properties").and_then(Value::as_object);
    match fields.map(|fields| fields.iter().collect::<Vec<_>>()).as_deref() {
        Some([(name, value)]) if *name == "result" => type_of(value),
        Some(fields) if !fields.is_empty() => {
            let fields: Vec<_> = fields.iter().map(|(name, _)| format!("`{}`", cell(name))).collect();
            format!("object with {}", fields.join(", "))
        }
        _ => type_of(schema),
    }
}

/// The type that a schema names, in a few words.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return format!("`{}`", cell(reference.rsplit('/').next().unwrap_or(reference)));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: Vec<_> = values.iter().map(|value| format!("`{}`", cell(&text(value)))).collect();
        return values.join(" or ");
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", type_of(items)),
            None => "array".to_owned(),
        },
        Some(Value::String(name)) => cell(name),
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).map(cell).collect();
            names.join(" or ")
        }
        _ => match schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            Some(types) => types.iter().map(type_of).collect::<Vec<_>>().join(" or "),
            None => "any".to_owned(),
        },
    }
}

/// An untrusted text as a quotation, which closes any block that the text leaves open.
fn quoted(text: &str) -> String {
    text.replace('<', "&lt;").lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c5_a_description_of_a_server_is_no_part_of_the_page() {
        let tool = ToolDescription {
            name: "s__read".to_owned(),
            source: ToolSource::Mcp,
            server: Some("s".to_owned()),
            description: "```\n# Injected\n\n<script>alert(1)</script>".to_owned(),
            input_schema: json!({ "properties": {
                "a": { "type": "str|ing\n# Injected", "description": "<b>\n# Injected" },
                "b": { "$ref": "#/$defs/x\n# Injected" },
                "c": { "type": ["a\n# Injected", "b|"] },
            } }),
            output_schema: None,
            effect: Effect::Unstated,
            approval: false,
            questions: false,
            component: None,
            mode: None,
            hooks: Vec::new(),
            input_guardrails: Vec::new(),
            output_guardrails: Vec::new(),
            is_cached: false,
        };
        let agent = AgentDescription {
            name: "Clerk".to_owned(),
            description: None,
            model: None,
            answer: None,
            answer_schema: None,
            tools: vec![tool],
            children: Vec::new(),
            servers: Vec::new(),
            run_hooks: Vec::new(),
            turn_hooks: Vec::new(),
            message_hooks: Vec::new(),
        };
        let page = page(&AppDescription { agents: vec![agent] });
        assert!(
            page.contains("\n\n> ```\n> # Injected\n> \n> &lt;script>alert(1)&lt;/script>\n\n"),
            "{page}"
        );
        assert!(!page.contains("\n# Injected") && !page.contains("<b>"), "{page}");
        assert!(page.contains("| `a` | str\\|ing # Injected, optional | &lt;b> # Injected |"), "{page}");
    }
}
