//! The tools of a workflow: which agents have them, and the words for them.

use onionskin_vocabulary::{LONGEST_TOOL_NAME, nearest};

use super::files::Files;
use super::foreign;
use super::names::{ALL_AGENTS, Names};
use crate::item::{Item, is_path};
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::tool_use::ToolUse;
use crate::yaml::{Key, Node, Value};

/// The categories of tools.
const CATEGORIES: [&str; 2] = ["agent_tools", "ui_tools"];

/// The fields of an entry.
const AGENT_TOOL: [&str; 3] = ["path", "description", "name"];
const UI_TOOL: [&str; 5] = ["path", "component", "mode", "description", "name"];

/// An entry, and the agents that it is for.
struct ToolEntry {
    tool: ToolUse,
    is_ui: bool,
    /// Whether it is for one agent by its name.
    is_own: bool,
    agents: Vec<usize>,
}

/// The tools of each agent. An agent's own entry counts before one of `ALL_AGENTS`.
pub(super) fn read(files: &Files, names: &Names, reader: &mut Reader) -> Vec<Vec<ToolUse>> {
    let entries = entries(files, names, reader);
    let mut of_agents: Vec<Vec<(&ToolEntry, ToolUse)>> = names.all.iter().map(|_| Vec::new()).collect();
    for (index, entry) in entries.iter().enumerate() {
        let other_kind =
            |other: &&ToolEntry| other.tool.item.value == entry.tool.item.value && other.is_ui != entry.is_ui;
        if entries[..index].iter().any(|other| other_kind(&other)) {
            let message = "this tool is in `agent_tools` and in `ui_tools`: keep one of them";
            reader.note(&entry.tool.item.span, message);
            continue;
        }
        for agent in &entry.agents {
            let tools = &mut of_agents[*agent];
            match tools.iter_mut().find(|(_, tool)| tool.item.value == entry.tool.item.value) {
                None => tools.push((entry, entry.tool.clone())),
                Some((known, _)) if known.is_own == entry.is_own => {
                    let list = if entry.is_own { &names.all[*agent] } else { ALL_AGENTS };
                    let message = format!("this tool is in the list of `{list}` twice; keep one");
                    reader.note(&entry.tool.item.span, message);
                    break;
                }
                Some(known) if entry.is_own => *known = (entry, entry.tool.clone()),
                Some(_) => {}
            }
        }
    }
    let of_agents: Vec<Vec<ToolUse>> =
        of_agents.into_iter().map(|tools| tools.into_iter().map(|(_, tool)| tool).collect()).collect();
    for (agent, tools) in names.all.iter().zip(&of_agents) {
        names_differ(agent, tools, reader);
    }
    of_agents
}

/// Two tools of an agent have two names.
fn names_differ(agent: &str, tools: &[ToolUse], reader: &mut Reader) {
    let mut names: Vec<&str> = Vec::new();
    for name in tools.iter().filter_map(|tool| tool.name.as_ref()) {
        if names.contains(&&*name.value) {
            let message = format!("`{agent}` has a tool called `{}` already; write another name", name.value);
            reader.note(&name.span, message);
        }
        names.push(&name.value);
    }
}

fn entries(files: &Files, names: &Names, reader: &mut Reader) -> Vec<ToolEntry> {
    let mut all = Vec::new();
    let Some(node) = files.part("tools").value else { return all };
    let Value::Map(categories) = &node.value else {
        reader.note(&node.span, "expected the categories of tools: `\"agent_tools\": { .. }`");
        return all;
    };
    for (key, value) in categories {
        let is_ui = match &*key.value {
            "agent_tools" => false,
            "ui_tools" => true,
            // The file of all parts has other fields beside them.
            _ if files.is_one() && !key.value.ends_with("_tools") => continue,
            other => {
                reader.note(&key.span, no_category(other));
                continue;
            }
        };
        let field = Field { key, value };
        for (agent, tools) in reader.map(field, &format!("\"{}\": {{ \"ALL_AGENTS\": [ .. ] }}", key.value)) {
            let agents = names.find(agent, reader);
            let list = Field { key: agent, value: tools };
            for entry in reader.list(list, &format!("\"{}\": [{{ \"path\": \"..\" }}]", agent.value)) {
                let Some(tool) = tool(entry, is_ui, files, reader) else { continue };
                let is_own = agent.value != ALL_AGENTS;
                all.push(ToolEntry { tool, is_ui, is_own, agents: agents.clone() });
            }
        }
    }
    all
}

fn no_category(name: &str) -> String {
    match name {
        "lifecycle_tools" | "lifecycle_hooks" | "lifecycle" => {
            format!("there are no `{name}`: functions around messages are hooks, `hooks.json`")
        }
        "tools" => foreign::instead(foreign::ORCHESTRATOR, name).unwrap_or_default(),
        other => match nearest(other, CATEGORIES) {
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
        reader.note(&entry.span, format!("expected a tool: `{example}`"));
        return None;
    };
    let (mut item, mut is_given) = (None, false);
    let (mut name, mut description, mut component, mut mode) = (None, None, None, None);
    for (key, value) in fields {
        let field = Field { key, value };
        match &*key.value {
            "path" => {
                is_given = true;
                item = reader.text(field).and_then(|path| self::item(&path, files, reader));
            }
            "description" => description = reader.filled(field),
            "name" => name = tool_name(field, reader),
            "component" if is_ui => component = reader.filled(field),
            "mode" if is_ui => mode = reader.choice(field),
            "component" | "mode" => {
                reader.note(
                    &key.span,
                    format!("`{}` is a field of UI tools: move the entry to `ui_tools`", key.value),
                );
            }
            other => {
                let known: &[&str] = if is_ui { &UI_TOOL } else { &AGENT_TOOL };
                let (message, meant) = foreign::unknown("tool field", other, foreign::TOOL, known);
                is_given |= meant.contains(&"path");
                reader.note(&key.span, message);
            }
        }
    }
    let has = |name: &str| fields.iter().any(|(key, _): &(Key, Node)| key.value == name);
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

/// A name that providers take.
fn tool_name(field: Field<'_>, reader: &mut Reader) -> Option<Spanned<String>> {
    let name = reader.filled(field)?;
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let message = if let Some(wrong) = name.value.chars().find(|c| !is_legal(*c)) {
        format!(
            "a tool's name may contain only letters, digits, `_`, `-` and `.`; this one contains {wrong:?}"
        )
    } else if name.value.len() > LONGEST_TOOL_NAME {
        format!(
            "a tool's name must have at most {LONGEST_TOOL_NAME} characters; this one has {}",
            name.value.len()
        )
    } else {
        return Some(name);
    };
    reader.note(&name.span, message);
    None
}

/// `workflows.Generator.tools.echo_all.echo` as `tools/echo_all.rs:echo`, or as `tools/echo_all.rhai:echo` if there is only that file.
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
            let stem = format!("{}/{file}", folders.join("/"));
            let has = |ending: &str| files.folder.join(format!("{stem}.{ending}")).is_file();
            let ending = if !has("rs") && has("rhai") { "rhai" } else { "rs" };
            let item = Item::in_file(&format!("{stem}.{ending}"), function);
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
