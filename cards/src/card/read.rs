//! From the YAML of a card to its fields.

use std::ops::Range;
use std::path::Path;

use super::fields::{FIELDS, FLAGS, LIMITS, REQUEST_PARAMS, unknown};
use super::hooks::Kind;
use super::{Card, HookItem, Text, Toolbox, check, fields, synonyms};
use crate::item::Item;
use crate::paths::default_name;
use crate::problem::Problem;
use crate::reader::{Field, Reader};
use crate::source::{Source, Spanned};
use crate::suggest;
use crate::tool_use::ToolUse;
use crate::yaml::{Node, Value};

/// A card whose fields are not read yet.
pub(super) struct Unread<'s> {
    pub(super) path: &'s Path,
    pub(super) source: &'s Source,
    pub(super) fields: Option<&'s Node>,
    /// The byte at which the fields begin.
    pub(super) start: usize,
    /// The bytes of the text of a Markdown card.
    pub(super) body: Option<Range<usize>>,
    /// The name of the agent outside of the fields. Without one, and without the field, it is that of the file.
    pub(super) name: Option<Spanned<String>>,
    /// The tools that it has beyond the fields.
    pub(super) tools: Vec<ToolUse>,
}

impl Unread<'_> {
    /// The card, and its mistakes.
    ///
    /// # Errors
    /// Returns an error if there are no fields to read.
    pub(super) fn read(self) -> Result<(Card, Vec<Problem>), Problem> {
        let entries = match self.fields {
            None => &[],
            Some(Node { value: Value::Map(entries), .. }) => entries.as_slice(),
            Some(other) => {
                let message =
                    "the fields of a card are wanted here: `name: pmo`, each on a line of its own".to_owned();
                return Err(Problem { message, span: other.span.clone() });
            }
        };
        let mut reader = Reader::default();
        let Self { path, source, start, body, name, tools, .. } = self;
        let name = name.unwrap_or_else(|| Spanned::new(default_name(path).unwrap_or_default(), start..start));
        let mut card = Card { path: path.to_owned(), source: source.clone(), name, ..Card::default() };
        let mut given: Vec<&str> = Vec::new();
        let is_of_another_type = entries.iter().any(|(key, value)| {
            key.text == "type" && matches!(&value.value, Value::Scalar(scalar) if scalar.text != "agent")
        });
        for (key, value) in entries {
            // The type is the mistake, and not each field that it has.
            if is_of_another_type && fields::is_of_another_type(&key.text) {
                continue;
            }
            let Some(name) = FIELDS.iter().find(|field| **field == key.text) else {
                let (message, meant) = unknown(&key.text);
                // The intended field counts as given, so that it is not reported as missing too.
                given.extend(meant);
                reader.note(&key.span, message);
                continue;
            };
            given.push(name);
            let field = Field { key, value };
            if value.is_null() {
                reader.note(&key.span, format!("`{name}` needs a value: `{name}: ..`"));
            } else {
                read_field(&mut card, &mut reader, field);
            }
        }
        if let Some(body) = body {
            read_body(&mut card, &mut reader, &source.text, body, given.contains(&"instruction"));
        }
        for tool in &tools {
            // The lists of the agent and of the workflow are united.
            if card.function_tools.iter().all(|known| known.value != tool.item.value) {
                card.function_tools.push(tool.item.clone());
            }
        }
        card.tool_uses = tools;
        let has_prompt = card.instruction.is_some()
            || given.iter().any(|key| matches!(*key, "instruction" | "system_message"));
        check::check(&card, has_prompt, &mut reader);
        Ok((card, reader.problems))
    }
}

/// The text of a Markdown card is its instruction.
fn read_body(card: &mut Card, reader: &mut Reader, text: &str, body: Range<usize>, has_instruction: bool) {
    let written = &text[body.clone()];
    let start = body.start + (written.len() - written.trim_start().len());
    let trimmed = written.trim();
    if trimmed.is_empty() {
        return;
    }
    let span = start..start + trimmed.len();
    if has_instruction {
        reader.note(
            &span,
            "the card has an `instruction` and a text: the text is the instruction, so keep one of them",
        );
    } else {
        card.instruction = Some(Text::Written(Spanned::new(trimmed.replace("\r\n", "\n"), span)));
    }
}

fn read_field(card: &mut Card, reader: &mut Reader, field: Field<'_>) {
    match field.name() {
        "type" => check::of_type(reader, field),
        "name" => {
            if let Some(name) = reader.text(field) {
                card.name = name;
            }
        }
        // Parents read it too, before there is a run that a function could be given.
        "description" => card.description = reader.text(field).map(Text::Written),
        "instruction" => card.instruction = prompt_text(reader, field),
        "role" => card.role = prompt_text(reader, field),
        "expected_output" => card.expected_output = prompt_text(reader, field),
        "additional_context" => card.additional_context = prompt_text(reader, field),
        "system_message" => card.system_message = prompt_text(reader, field),
        "servers" => card.servers = names(reader, field, "servers: [time]"),
        "tools" => card.tools = tool_filters(reader, field),
        "function_tools" => {
            card.function_tools =
                items(reader, field, "function_tools: [tools.rs:add_one]", "tools.rs:add_one");
        }
        "toolboxes" => card.toolboxes = toolboxes(reader, field),
        "agents" => card.agents = names(reader, field, "agents: [Researcher]"),
        "tool_hooks" => tool_hooks(card, reader, field),
        "input_guardrails" => {
            card.input_guardrails = guardrails(reader, field, "input_guardrails: [guardrails.rs:check]");
        }
        "output_guardrails" => {
            card.output_guardrails = guardrails(reader, field, "output_guardrails: [guardrails.rs:check]");
        }
        "run_hooks" => card.run_hooks = hooks(reader, field, "run_hooks: [hooks.rs:check]", "hooks.rs:check"),
        "turn_hooks" => turn_hooks(card, reader, field),
        "message_hooks" => {
            card.message_hooks = hooks(reader, field, "message_hooks: [hooks.rs:redact]", "hooks.rs:redact");
        }
        "runtime" => card.runtime = names(reader, field, "runtime: [shell.execute]"),
        "default" => card.default = reader.boolean(field),
        "run" => card.run = reader.item(field.value, "strategy.rs:plan"),
        "model" => card.model = reader.text(field),
        "request_params" => {
            card.request_params = settings(
                reader,
                field,
                "request parameter",
                REQUEST_PARAMS,
                "request_params: { temperature: 0.2 }",
            );
        }
        "limits" => card.limits = settings(reader, field, "limit", LIMITS, "limits: { turns: 10 }"),
        "history_source" => {
            card.history_source = reader.word(field, &["none", "child", "orchestrator", "messages"]);
        }
        "history_merge_target" => {
            card.history_merge_target = reader.word(field, &["none", "child", "orchestrator"]);
        }
        "max_parallel" => card.max_parallel = reader.whole(field, "max_parallel: 4"),
        "child_timeout_sec" => card.child_timeout_sec = reader.number(field, "child_timeout_sec: 120"),
        "max_display_instances" => {
            card.max_display_instances = reader.whole(field, "max_display_instances: 20");
        }
        "effect" => card.effect = reader.word(field, &["pure", "idempotent", "once"]),
        "lock" => card.lock = reader.word(field, &["report", "strict"]),
        "state" => card.state = reader.item(field.value, "state.rs:Ledger"),
        "input" => card.input = reader.item(field.value, "types.rs:Question"),
        "output" => card.output = reader.item(field.value, "types.rs:Report"),
        name => {
            let flag = FLAGS.iter().find(|flag| **flag == name);
            if let (Some(flag), Some(Spanned { value: true, span })) = (flag, reader.boolean(field)) {
                card.flags.push(Spanned::new(*flag, span));
            }
        }
    }
}

/// A text, or `{ function: prompts.rs:greeting }`.
fn prompt_text(reader: &mut Reader, field: Field<'_>) -> Option<Text> {
    match &field.value.value {
        Value::Map(entries) => {
            let example = "prompts.rs:greeting";
            match entries.as_slice() {
                [(key, value)] if key.text == "function" => reader.item(value, example).map(Text::Function),
                _ => {
                    let name = field.name();
                    reader.note(
                        &field.place(),
                        format!("`{name}` is text, or `{name}: {{ function: {example} }}`"),
                    );
                    None
                }
            }
        }
        _ => reader.text(field).map(Text::Written),
    }
}

fn names(reader: &mut Reader, field: Field<'_>, example: &str) -> Vec<Spanned<String>> {
    reader.list(field, example).iter().filter_map(|item| reader.name(item, example)).collect()
}

fn items(reader: &mut Reader, field: Field<'_>, list: &str, example: &str) -> Vec<Spanned<Item>> {
    reader.list(field, list).iter().filter_map(|item| reader.item(item, example)).collect()
}

fn hooks(reader: &mut Reader, field: Field<'_>, list: &str, example: &'static str) -> Vec<super::Hook> {
    let nodes = reader.list(field, list);
    nodes.iter().filter_map(|node| reader.hook(node, Kind::hook(example))).map(|(hook, _)| hook).collect()
}

fn guardrails(
    reader: &mut Reader,
    field: Field<'_>,
    list: &str,
) -> Vec<(super::Hook, Option<super::Filter>)> {
    let kind = Kind { word: "guardrail", example: "guardrails.rs:check", filters: true };
    let nodes = reader.list(field, list);
    nodes.iter().filter_map(|node| reader.hook(node, kind)).collect()
}

fn tool_filters(reader: &mut Reader, field: Field<'_>) -> Vec<(Spanned<String>, Vec<Spanned<String>>)> {
    let example = "tools: { time: [get_time] }";
    let Value::Map(entries) = &field.value.value else {
        let message = format!(
            "`tools` chooses among the tools of servers: `{example}`; functions belong in `function_tools`"
        );
        reader.note(&field.place(), message);
        return Vec::new();
    };
    let filter = |(key, value): &(crate::yaml::Key, Node)| {
        let patterns = names(reader, Field { key, value }, example);
        if matches!(&value.value, Value::List(items) if items.is_empty()) {
            let name = &key.text;
            let message =
                format!("no tool of `{name}` is let through; name some, or take `{name}` off `servers`");
            reader.note(&key.span, message);
        }
        (Spanned::new(key.text.clone(), key.span.clone()), patterns)
    };
    entries.iter().map(filter).collect()
}

/// `kb.rs:Kb`, or `{ archive: kb.rs:Kb }` where its tools get a prefix.
fn toolboxes(reader: &mut Reader, field: Field<'_>) -> Vec<Toolbox> {
    let mut toolboxes = Vec::new();
    for node in reader.list(field, "toolboxes: [kb.rs:Kb]") {
        match &node.value {
            Value::Map(entries) => {
                for (key, value) in entries {
                    let prefix = Some(Spanned::new(key.text.clone(), key.span.clone()));
                    toolboxes.extend(reader.item(value, "kb.rs:Kb").map(|item| Toolbox { prefix, item }));
                }
            }
            _ => toolboxes.extend(reader.item(node, "kb.rs:Kb").map(|item| Toolbox { prefix: None, item })),
        }
    }
    toolboxes
}

/// A list of hooks around calls, or a map of hooks around turns.
fn tool_hooks(card: &mut Card, reader: &mut Reader, field: Field<'_>) {
    match &field.value.value {
        Value::Map(entries) => card.turn_hooks.extend(reader.turn_hooks_by_place(entries)),
        _ => {
            let nodes = reader.list(field, "tool_hooks: [hooks.rs:audit]");
            card.tool_hooks =
                nodes.iter().filter_map(|node| reader.hook_item(node)).collect::<Vec<HookItem>>();
        }
    }
}

fn turn_hooks(card: &mut Card, reader: &mut Reader, field: Field<'_>) {
    match &field.value.value {
        Value::Map(entries) => card.turn_hooks.extend(reader.turn_hooks_by_place(entries)),
        _ => {
            let hooks = hooks(reader, field, "turn_hooks: [hooks.rs:trim]", "hooks.rs:trim");
            card.turn_hooks.extend(hooks.into_iter().map(|hook| (None, hook)));
        }
    }
}

fn settings(
    reader: &mut Reader,
    field: Field<'_>,
    what: &str,
    known: &[&'static str],
    example: &str,
) -> Vec<(Spanned<&'static str>, Spanned<serde_json::Value>)> {
    let mut given = Vec::new();
    for (key, value) in reader.map(field, example) {
        match known.iter().find(|name| **name == key.text) {
            None if synonyms::is_turns(&key.text) => reader.note(&key.span, synonyms::TURNS),
            None => reader.note(&key.span, suggest::unknown(what, &key.text, known)),
            Some(name) if value.is_null() => {
                reader.note(&key.span, format!("`{name}` needs a value: `{name}: ..`"));
            }
            Some(name) => {
                check::setting(reader, name, value);
                let value = Spanned::new(value.to_json(), value.span.clone());
                given.push((Spanned::new(*name, key.span.clone()), value));
            }
        }
    }
    given
}
