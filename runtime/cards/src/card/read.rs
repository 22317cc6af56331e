//! From the text of a card to its fields.

use std::ops::Range;
use std::path::Path;

use onionskin_vocabulary::agent::{
    self as words, CARD_TYPE, Limit, Part, RequestParam, Setting, SettingKind, TextField,
};
use onionskin_vocabulary::server_data::PatternField;
use onionskin_vocabulary::settings::{ValueKind, timeout_mistake};
use onionskin_vocabulary::{FrontMatterMistake, Word, front_matter, messages};
use serde_json::Value as Json;

use super::approval::approval;
use super::hooks::{guardrails, hooks, tool_hooks, turn_hooks};
use super::other_frameworks::unknown;
use super::{Card, ServerHeaders, ServerPatterns, Text, Toolbox, check, other_frameworks};
use crate::endings::{is_markdown, is_yaml};
use crate::file::LARGEST_FILE;
use crate::item::Item;
use crate::paths::default_name;
use crate::problem::{CardError, Problem};
use crate::reader::{Field, Reader, number_mistake};
use crate::source::{Source, Spanned};
use crate::tool_use::ToolUse;
use crate::yaml::{self, Key, Node, Value};

impl Card {
    /// Reads a card. `path` tells the name of the agent and whether the card is Markdown or YAML; `source.name` is what messages show.
    ///
    /// # Errors
    /// Returns all mistakes of the card.
    pub fn read(path: &Path, source: Source) -> Result<Self, CardError> {
        match Self::read_with_problems(path, &source) {
            (Some(card), problems) if problems.is_empty() => Ok(card),
            (_, problems) => Err(CardError::new(source, problems)),
        }
    }

    /// Reads what can be read of a card, and its mistakes. Without mistakes there is a card.
    pub fn read_with_problems(path: &Path, source: &Source) -> (Option<Self>, Vec<Problem>) {
        match Self::read_parts(path, source) {
            Ok((card, mut problems)) => {
                problems.dedup();
                (Some(card), problems)
            }
            Err(problem) => (None, vec![problem]),
        }
    }

    fn read_parts(path: &Path, source: &Source) -> Result<(Self, Vec<Problem>), Problem> {
        let text = &*source.text;
        let whole = |message: String| Problem { message, span: 0..0 };
        if text.len() > LARGEST_FILE {
            return Err(whole(format!(
                "a card must have at most {LARGEST_FILE} bytes; this one has {}",
                text.len()
            )));
        }
        let (front, body) = if is_markdown(path) {
            let parts = front_matter(text).map_err(no_front_matter)?;
            (parts.fields, Some(parts.body))
        } else if is_yaml(path) {
            (0..text.len(), None)
        } else {
            return Err(whole("a card must be a file with the ending `.md`, `.yaml` or `.yml`".to_owned()));
        };
        let fields = match yaml::parse(&text[front.clone()], front.start)? {
            None => Vec::new(),
            Some(Node { value: Value::Map(fields), .. }) => fields,
            Some(other) => {
                let message = "expected the fields of a card, each on its own line: `name: pmo`".to_owned();
                return Err(Problem { message, span: other.span });
            }
        };
        let name = Spanned::new(default_name(path).unwrap_or_default(), front.start..front.start);
        Ok(card_from_fields(path, source, name, &fields, body, Vec::new()))
    }
}

fn no_front_matter(mistake: FrontMatterMistake) -> Problem {
    let (message, span) = match mistake {
        FrontMatterMistake::Missing(span) => (
            "the front matter is missing: a card begins with a line `---`, its fields in YAML, and another line `---`; its text follows",
            span,
        ),
        FrontMatterMistake::Unclosed(span) => {
            ("the front matter has no end: write a line `---` before the text of the card", span)
        }
    };
    Problem { message: message.to_owned(), span }
}

/// The agent of these fields, and its mistakes. `name` is what it is called if no field says it, `body` the text of a Markdown card, and `tools`
/// are those that it has beyond the fields.
pub(crate) fn card_from_fields(
    path: &Path,
    source: &Source,
    name: Spanned<String>,
    fields: &[(Key, Node)],
    body: Option<Range<usize>>,
    tools: Vec<ToolUse>,
) -> (Card, Vec<Problem>) {
    let mut reader = Reader::default();
    let mut card = Card { path: path.to_owned(), source: source.clone(), name, ..Card::default() };
    let mut present: Vec<&str> = Vec::new();
    let is_of_another_type = fields.iter().any(|(key, value)| {
        key.value == CARD_TYPE && matches!(&value.value, Value::Scalar(scalar) if scalar.text != "agent")
    });
    for (key, value) in fields {
        // The type is the mistake, and not each of its fields.
        if is_of_another_type && other_frameworks::is_of_another_type(&key.value) {
            continue;
        }
        let known = words::Field::from_word(&key.value);
        if known.is_none() && key.value != CARD_TYPE {
            let (message, meant) = unknown(&key.value);
            // The intended field counts as given, so that it is not reported as missing too.
            present.extend(meant);
            reader.note(&key.span, message);
            continue;
        }
        present.push(&key.value);
        let field = Field { key, value };
        match known {
            _ if value.is_null() => {
                let name = &key.value;
                reader.note(&key.span, format!("`{name}` needs a value: `{name}: ..`"));
            }
            Some(known) => read_field(&mut card, &mut reader, known, field),
            None => other_frameworks::check_type(&mut reader, field),
        }
    }
    if let Some(body) = body {
        read_body(&mut card, &mut reader, &source.text, body, present.contains(&"instruction"));
    }
    for tool in &tools {
        // The lists of the agent and of the workflow are united.
        if card.function_tools.iter().all(|known| known.value != tool.item.value) {
            card.function_tools.push(tool.item.clone());
        }
    }
    card.tool_uses = tools;
    card.texts.sort_by_key(|(field, _)| *field);
    card.settings.sort_by_key(|(setting, _)| *setting);
    let has_prompt = card.text(TextField::Instructions).is_some()
        || present.iter().any(|key| matches!(*key, "instruction" | "system_message"));
    check::check(&card, has_prompt, &mut reader);
    (card, reader.problems)
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
        let text = Text::Template(Spanned::new(trimmed.replace("\r\n", "\n"), span));
        card.texts.push((TextField::Instructions, text));
    }
}

fn read_field(card: &mut Card, reader: &mut Reader, known: words::Field, field: Field<'_>) {
    match known {
        // Parents read it too, before there is a run that a function could be given.
        words::Field::Text(name @ TextField::Description) => {
            card.texts.extend(reader.text(field).map(|text| (name, Text::Template(text))));
        }
        words::Field::Text(name) => card.texts.extend(prompt_text(reader, field).map(|text| (name, text))),
        words::Field::Flag(flag) => {
            card.flags.extend(reader.boolean(field).map(|on| (flag, on)));
        }
        words::Field::Part(part) => read_part(card, reader, part, field),
        words::Field::Setting(setting) => {
            card.settings.extend(setting_value(reader, setting, field).map(|value| (setting, value)));
        }
    }
}

fn read_part(card: &mut Card, reader: &mut Reader, part: Part, field: Field<'_>) {
    match part {
        Part::Name => {
            if let Some(name) = reader.text(field) {
                card.name = name;
            }
        }
        Part::Servers => card.servers = names(reader, field, "servers: [time]"),
        Part::Tools => card.tools = patterns(reader, PatternField::Tools, field),
        Part::Resources => card.resources = patterns(reader, PatternField::Resources, field),
        Part::Prompts => card.prompts = patterns(reader, PatternField::Prompts, field),
        Part::Headers => card.headers = headers(reader, field),
        Part::FunctionTools => {
            card.function_tools =
                items(reader, field, "function_tools: [tools.rs:add_one]", "tools.rs:add_one");
        }
        Part::Toolboxes => card.toolboxes = toolboxes(reader, field),
        Part::Agents => card.agents = names(reader, field, "agents: [Researcher]"),
        Part::ToolHooks => tool_hooks(card, reader, field),
        Part::InputGuardrails => {
            card.input_guardrails = guardrails(reader, field, "input_guardrails: [guardrails.rs:check]");
        }
        Part::OutputGuardrails => {
            card.output_guardrails = guardrails(reader, field, "output_guardrails: [guardrails.rs:check]");
        }
        Part::Approval => card.approval = Some(approval(reader, field)),
        Part::RunHooks => {
            card.run_hooks = hooks(reader, field, "run_hooks: [hooks.rs:check]", "hooks.rs:check");
        }
        Part::TurnHooks => turn_hooks(card, reader, field),
        Part::MessageHooks => {
            card.message_hooks = hooks(reader, field, "message_hooks: [hooks.rs:redact]", "hooks.rs:redact");
        }
        Part::Runtime => card.runtime = names(reader, field, "runtime: [shell.execute]"),
        Part::Run => card.run = reader.item(field.value, "strategy.rs:plan"),
        Part::RequestParams => {
            card.request_params = table(
                reader,
                field,
                ("request parameter", "request_params: { temperature: 0.2 }"),
                RequestParam::kind,
            );
        }
        Part::Limits => {
            let kind = |limit: Limit| ValueKind::Number(limit.number());
            card.limits = table(reader, field, ("limit", "limits: { turns: 10 }"), kind);
        }
        Part::State => card.state = reader.item(field.value, "state.rs:Ledger"),
        Part::Input => card.input = reader.item(field.value, "types.rs:Question"),
        Part::Output => card.output = reader.item(field.value, "types.rs:Report"),
    }
}

fn setting_value(reader: &mut Reader, setting: Setting, field: Field<'_>) -> Option<Spanned<Json>> {
    fn json<T: Into<Json>>(Spanned { value, span }: Spanned<T>) -> Spanned<Json> {
        Spanned::new(value.into(), span)
    }
    match setting.kind() {
        SettingKind::Boolean => reader.boolean(field).map(json),
        SettingKind::Text => {
            let text = reader.text(field)?;
            if text.value.trim().is_empty() {
                reader.note(&text.span, messages::empty_name(setting));
            }
            Some(json(text))
        }
        SettingKind::Count(example) => reader.whole(field, &format!("{setting}: {example}")).map(json),
        SettingKind::Seconds(example) => {
            let seconds = reader.number(field, &format!("{setting}: {example}"))?;
            if let Some(message) = timeout_mistake(setting.word(), seconds.value) {
                reader.note(&seconds.span, message);
            }
            Some(json(seconds))
        }
        SettingKind::Word { choice, .. } => reader.word(field, choice.words()).map(json),
    }
}

/// A text, or `{ function: prompts.rs:greeting }`.
fn prompt_text(reader: &mut Reader, field: Field<'_>) -> Option<Text> {
    match &field.value.value {
        Value::Map(entries) => {
            let example = "prompts.rs:greeting";
            match entries.as_slice() {
                [(key, value)] if key.value == "function" => reader.item(value, example).map(Text::Function),
                _ => {
                    let name = field.name();
                    reader.note(
                        &field.place(),
                        format!("`{name}` must be text, or `{name}: {{ function: {example} }}`"),
                    );
                    None
                }
            }
        }
        Value::Scalar(_) | Value::List(_) => reader.text(field).map(Text::Template),
    }
}

fn names(reader: &mut Reader, field: Field<'_>, example: &str) -> Vec<Spanned<String>> {
    reader.list(field, example).iter().filter_map(|item| reader.name(item, example)).collect()
}

fn items(reader: &mut Reader, field: Field<'_>, list: &str, example: &str) -> Vec<Spanned<Item>> {
    reader.list(field, list).iter().filter_map(|item| reader.item(item, example)).collect()
}

/// The patterns for each server.
fn patterns(reader: &mut Reader, what: PatternField, field: Field<'_>) -> Vec<ServerPatterns> {
    let Value::Map(entries) = &field.value.value else {
        reader.note(&field.place(), what.other_form());
        return Vec::new();
    };
    let of_server =
        |(key, value): &(Key, Node)| (key.clone(), names(reader, Field { key, value }, what.example()));
    entries.iter().map(of_server).collect()
}

fn headers(reader: &mut Reader, field: Field<'_>) -> Vec<ServerHeaders> {
    let of_server = |reader: &mut Reader, value: &Node| {
        let Value::Map(entries) = &value.value else {
            reader.note(&value.span, messages::HEADERS_OF_SERVERS);
            return Vec::new();
        };
        let header = |(key, value): &(Key, Node)| Some((key.clone(), reader.text(Field { key, value })?));
        entries.iter().filter_map(header).collect()
    };
    let Value::Map(entries) = &field.value.value else {
        reader.note(&field.place(), messages::HEADERS_OF_SERVERS);
        return Vec::new();
    };
    entries.iter().map(|(server, value)| (server.clone(), of_server(reader, value))).collect()
}

/// `kb.rs:Kb`, or `{ archive: kb.rs:Kb }` where its tools get a prefix.
fn toolboxes(reader: &mut Reader, field: Field<'_>) -> Vec<Toolbox> {
    let mut toolboxes = Vec::new();
    for node in reader.list(field, "toolboxes: [kb.rs:Kb]") {
        match &node.value {
            Value::Map(entries) => {
                for (key, value) in entries {
                    let prefix = Some(key.clone());
                    toolboxes.extend(reader.item(value, "kb.rs:Kb").map(|item| Toolbox { prefix, item }));
                }
            }
            Value::List(_) | Value::Scalar(_) => {
                toolboxes.extend(reader.item(node, "kb.rs:Kb").map(|item| Toolbox { prefix: None, item }));
            }
        }
    }
    toolboxes
}

/// The entries of `limits` or of `request_params`; messages have a word for one, and an example.
fn table<W: Word>(
    reader: &mut Reader,
    field: Field<'_>,
    (what, example): (&str, &str),
    kind: impl Fn(W) -> ValueKind,
) -> Vec<(Spanned<W>, Spanned<Json>)> {
    let mut present = Vec::new();
    for (key, value) in reader.map(field, example) {
        match W::from_word(&key.value) {
            None => reader.note(&key.span, messages::unknown_entry::<W>(what, &key.value)),
            Some(name) if value.is_null() => {
                reader.note(&key.span, format!("`{name}` needs a value: `{name}: ..`"));
            }
            Some(name) => {
                check_value(reader, name.word(), kind(name), value);
                let value = Spanned::new(value.to_json(), value.span.clone());
                present.push((Spanned::new(name, key.span.clone()), value));
            }
        }
    }
    present
}

/// The value of a limit or a request parameter.
fn check_value(reader: &mut Reader, name: &str, kind: ValueKind, node: &Node) {
    let message = match (kind, &node.value) {
        (ValueKind::Number(number), value) => {
            number_mistake(name, number, value, &format!("{name}: {}", number.example()))
        }
        (ValueKind::ToolChoice, _) => {
            _ = reader.name(node, "tool_choice: required");
            None
        }
        (ValueKind::Texts, Value::List(items)) if items.iter().all(|item| item.to_json().is_string()) => None,
        (ValueKind::Texts, _) => Some("expected a list: `stop_sequences: [\"END\"]`".to_owned()),
        (ValueKind::Map, Value::Map(_)) => None,
        (ValueKind::Map, _) => Some(format!("expected fields: `{name}: {{ .. }}`")),
        (ValueKind::Word(choice), Value::Scalar(word)) => choice.mistake(&word.text),
        (ValueKind::Word(choice), _) => Some(choice.expected(name)),
        (ValueKind::Boolean, Value::Scalar(scalar)) if scalar.boolean().is_some() => None,
        (ValueKind::Boolean, _) => Some(messages::expected_boolean(name)),
    };
    if let Some(message) = message {
        reader.note(&node.span, message);
    }
}
