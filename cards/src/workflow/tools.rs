//! The tools of a workflow: which agents have them, and what is said of them.

use super::Names;
use super::files::Files;
use crate::card::Card;
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::suggest;
use crate::use_of::{Item, is_path};
use crate::yaml::{Key, Node, Value};

/// The categories of tools.
const CATEGORIES: [&str; 2] = ["agent_tools", "ui_tools"];

/// The fields of an entry.
const AGENT_TOOL: [&str; 3] = ["path", "description", "name"];
const UI_TOOL: [&str; 5] = ["path", "component", "mode", "description", "name"];

/// What a workflow says of a tool beyond its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub item: Spanned<Item>,
    /// The name for the model, in place of the function's.
    pub name: Option<Spanned<String>>,
    /// The description, in place of the function's documentation.
    pub description: Option<Spanned<String>>,
    /// The component that shows it, if it is a UI tool.
    pub component: Option<Spanned<String>>,
    /// Where the component is shown.
    pub mode: Option<Spanned<&'static str>>,
}

pub(super) fn read(files: &Files, names: &Names, cards: &mut [Card], reader: &mut Reader) -> Vec<ToolUse> {
    let mut uses: Vec<ToolUse> = Vec::new();
    let Some(node) = files.part("tools").value else { return uses };
    let Value::Map(entries) = &node.value else {
        reader.note(&node.span, "the categories of tools are wanted here: `\"agent_tools\": { .. }`");
        return uses;
    };
    for (key, value) in entries {
        let is_ui = match &*key.text {
            "agent_tools" => false,
            "ui_tools" => true,
            // The file of all parts has other fields beside them.
            _ if files.is_one() && !key.text.ends_with("_tools") => continue,
            other => {
                reader.note(&key.span, no_category(other));
                continue;
            }
        };
        let field = Field { key, value };
        for (agent, tools) in
            reader.map(field, &format!("\"{}\": {{ \"ALL_AGENTS\": [ .. ] }}", key.text)).to_vec()
        {
            let agents = names.find(&Spanned::new(agent.text.clone(), agent.span.clone()), reader);
            let list = Field { key: &agent, value: &tools };
            for entry in reader.list(list, &format!("\"{}\": [{{ \"path\": \"..\" }}]", agent.text)) {
                let Some(tool) = tool(entry, is_ui, files, reader) else { continue };
                for index in &agents {
                    let tools = &mut cards[*index].function_tools;
                    // The lists of an agent and of all agents are united.
                    if tools.iter().all(|known| known.value != tool.item.value) {
                        tools.push(tool.item.clone());
                    }
                }
                unite(&mut uses, tool, reader);
            }
        }
    }
    uses
}

/// Adds what is said of a tool. Two entries of one tool say the same.
fn unite(uses: &mut Vec<ToolUse>, tool: ToolUse, reader: &mut Reader) {
    fn words(tool: &ToolUse) -> [Option<&str>; 4] {
        let texts = [&tool.name, &tool.description, &tool.component];
        let [name, description, component] = texts.map(|text| text.as_ref().map(|text| &*text.value));
        [name, description, component, tool.mode.as_ref().map(|mode| mode.value)]
    }
    match uses.iter().find(|known| known.item.value == tool.item.value) {
        None => uses.push(tool),
        Some(known) if words(known) == words(&tool) => {}
        Some(_) => reader.note(
            &tool.item.span,
            "this tool is in the file before, with another name, description or component: say the same of it in all places",
        ),
    }
}

fn no_category(name: &str) -> String {
    match name {
        "lifecycle_tools" | "lifecycle" => {
            format!("there are no `{name}`: functions around messages are hooks, `hooks.json`")
        }
        other => match suggest::nearest(other, CATEGORIES) {
            Some(near) => format!("unknown category of tools `{other}`; did you mean `{near}`?"),
            None => format!(
                "unknown category of tools `{other}`; there are: agent_tools, ui_tools; functions around messages are hooks, `hooks.json`"
            ),
        },
    }
}

fn tool(entry: &Node, is_ui: bool, files: &Files, reader: &mut Reader) -> Option<ToolUse> {
    let example = if is_ui {
        "{ \"path\": \"tools.request_api_key.request_api_key\", \"component\": \"AgentAPIKeyInput\", \"mode\": \"inline\" }"
    } else {
        "{ \"path\": \"tools.echo_all.echo\" }"
    };
    let Value::Map(fields) = &entry.value else {
        reader.note(&entry.span, format!("a tool is wanted here: `{example}`"));
        return None;
    };
    let (mut item, mut is_given) = (None, false);
    let (mut name, mut description, mut component, mut mode) = (None, None, None, None);
    for (key, value) in fields {
        let field = Field { key, value };
        match &*key.text {
            "path" => {
                is_given = true;
                item = reader.text(field).and_then(|path| self::item(&path, files, reader));
            }
            "description" => description = reader.text(field),
            "name" => name = reader.text(field),
            "component" if is_ui => component = reader.text(field),
            "mode" if is_ui => mode = reader.word(field, &["inline", "artifact"]),
            "component" | "mode" => {
                reader.note(
                    &key.span,
                    format!("`{}` is a field of UI tools: move the entry to `ui_tools`", key.text),
                );
            }
            other => {
                let known: &[&str] = if is_ui { &UI_TOOL } else { &AGENT_TOOL };
                is_given |= suggest::nearest(other, known.iter().copied()) == Some("path");
                reader.note(&key.span, suggest::unknown("field of a tool", other, known));
            }
        }
    }
    let has = |name: &str| fields.iter().any(|(key, _): &(Key, Node)| key.text == name);
    if !is_given {
        reader.note(&entry.span, format!("this names no function: `{example}`"));
    }
    if is_ui {
        let missing: Vec<_> = ["component", "mode"]
            .into_iter()
            .filter(|field| !has(field))
            .map(|field| format!("`{field}`"))
            .collect();
        if !missing.is_empty() {
            reader.note(&entry.span, format!("this UI tool has no {}: `{example}`", missing.join(", ")));
        }
    }
    Some(ToolUse { item: item?, name, description, component, mode })
}

/// `workflows.Generator.tools.echo_all.echo` as `tools/echo_all.rs:echo`.
fn item(path: &Spanned<String>, files: &Files, reader: &mut Reader) -> Option<Spanned<Item>> {
    let text = path.value.as_str();
    let of_workflow = format!("workflows.{}.", files.name);
    let inside = text.strip_prefix(&of_workflow).unwrap_or(text);
    let parts: Vec<&str> = inside.split('.').collect();
    let is_name = |part: &&str| is_path(part) && !part.contains("::");
    match &parts[..] {
        ["workflows", other, ..] => {
            let message = format!(
                "the tools of the workflow `{other}` are not those of `{}`: `{of_workflow}tools.echo_all.echo`",
                files.name
            );
            reader.note(&path.span, message);
            None
        }
        [folders @ .., file, function] if !folders.is_empty() && parts.iter().all(is_name) => {
            let folders = folders.join("/");
            let item = Item::File { file: format!("{folders}/{file}.rs"), name: (*function).to_owned() };
            Some(Spanned::new(item, path.span.clone()))
        }
        _ => {
            let message = format!(
                "`{text}` names no function: write its folder, its file and its name, `tools.echo_all.echo`"
            );
            reader.note(&path.span, message);
            None
        }
    }
}
