//! A card that is made of a file.

use std::collections::BTreeSet;

use onionskin_cards::yaml::{Node, Value};
use onionskin_cards::{Card, Spanned, Text};
use onionskin_vocabulary::agent::{Flag, Limit, Setting, TextField};
use onionskin_vocabulary::{BuiltIn, LONGEST_AGENT_NAME, Word as _, agent, agent_name_mistake};
use serde_json::Value as Json;

use super::fields::{Kind, Row, Take};
use super::flow::Directions;
use super::known::Known;
use super::models::model;
use super::source::{AgentFile, Field, Note, scalar};
use super::text::{Places, beginning};
use super::tool_names::READING;
use super::tools::{CardTools, Tools, has_skills, names_in};
use super::types::{PARAMS, ParamPlace};

/// What an agent of fast-agent without a text is told.
const DEFAULT_INSTRUCTION: &str = "You are a helpful AI Agent.";

/// A card that is not complete: which other agents there are is not known.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) card: Card,
    /// The name of its file, without the ending.
    pub(super) stem: String,
    pub(super) notes: Vec<Note>,
    /// The line of the file that each field comes from.
    pub(super) lines: Vec<(&'static str, usize)>,
    /// The agents that it calls, each with its line and its name in its file.
    pub(super) children: Vec<(usize, String)>,
    /// The order in which it calls them.
    pub(super) directions: Option<Directions>,
    /// The text, without those directions.
    pub(super) text: String,
    pub(super) kind: Kind,
}

impl Draft {
    /// Makes a draft. `stem` is the name of the file without its endings, and `servers` are those that can be named.
    ///
    /// # Errors
    /// Returns why the file cannot be a card, with its line.
    pub(super) fn new(kind: Kind, file: &AgentFile, stem: &str, servers: &Known) -> Result<Self, Note> {
        let mut draft = Self {
            card: Card::default(),
            stem: String::new(),
            notes: file.notes.clone(),
            lines: Vec::new(),
            children: Vec::new(),
            directions: None,
            text: String::new(),
            kind,
        };
        draft.name(file, stem)?;
        let (directions, note) = Directions::read(kind, file)?;
        draft.directions = directions;
        draft.notes.extend(note);
        let mut tools = Tools::new(kind, servers);
        let mut present = BTreeSet::new();
        for field in &file.fields {
            let is_again = !present.insert(&field.name);
            let name = format!("`{}`", field.name);
            match kind.field(&field.name) {
                // What is forbidden twice is forbidden.
                Some(row) if is_again && !matches!(row.take, Take::WithoutTools) => {
                    draft.left(field, &name, "the file has the field already");
                }
                Some(row) => draft.field(row, field, &mut tools, file),
                None => {
                    let of_cards = agent::Field::from_word(&field.name)
                        .map_or("", |_| "; cards have one: write it into the card if you want it");
                    draft.left(field, &name, &format!("{} has no such field{of_cards}", kind.program()));
                }
            }
        }
        if kind != Kind::FastAgent
            && !file.fields.iter().any(|field| field.name == "tools" && !field.value.is_null())
        {
            let names: Vec<_> = READING.iter().map(|tool| tool.word()).collect();
            let names = names.join(", ");
            draft.note(1, format!("without `tools`, {} gives an agent all its tools; the card has those that change nothing: `runtime: [{names}]`", kind.program()));
            tools.add(1, READING);
        }
        let CardTools { runtime, servers, tools, children, notes, approval } = tools.finish();
        (draft.card.runtime, draft.card.servers, draft.card.tools) = (runtime, servers, tools);
        draft.card.approval = approval;
        draft.children.extend(children);
        draft.notes.extend(notes);
        if let Some(directions) = &draft.directions {
            draft.children.extend(directions.children().map(|(line, name)| (line, name.to_owned())));
        }
        draft.instruction(file)?;
        Ok(draft)
    }

    /// The name of the agent, which is that of the file if no field says it.
    fn name(&mut self, file: &AgentFile, stem: &str) -> Result<(), Note> {
        let field = file.fields.iter().find(|field| field.name == "name");
        let written = field.and_then(|field| scalar(&field.value)).map_or(stem, str::trim);
        let line = field.map_or(1, |field| field.line);
        let slug = [written, stem].iter().map(|name| slug(name)).find(|slug| !slug.is_empty());
        let Some(slug) = slug else {
            return Err(Note::new(
                line,
                "the name has no letter A to Z and no digit: write `name: ..`, with such letters",
            ));
        };
        let name = if agent_name_mistake(written).is_none() { written } else { &slug }.to_owned();
        if let Some(field) = field.filter(|field| !field.value.is_null() && scalar(&field.value).is_none()) {
            self.left(field, "`name`", "it is not a text");
        } else if name != written {
            self.note(
                line,
                format!(
                    "the name `{}` is `{name}` here, because other agents call it as a tool",
                    beginning(written, 80)
                ),
            );
        }
        self.lines.push(("name", line));
        self.card = Card::named(&slug);
        self.card.name.value = name;
        self.stem = slug;
        Ok(())
    }

    fn field(&mut self, row: &'static Row, field: &Field, tools: &mut Tools<'_>, file: &AgentFile) {
        let (name, value) = (&*field.name, &field.value);
        let line = field.line;
        match row.take {
            // They are read before.
            Take::Name | Take::Type | Take::Flow | Take::Instruction => {}
            Take::Left => self.left(field, &shown(name, value), row.here),
            _ if value.is_null() => {}
            Take::Description => match scalar(value) {
                Some(text) => self.put_text(TextField::Description, line, text.trim()),
                None => self.left(field, "`description`", "it is not a text"),
            },
            Take::Model => self.model(field),
            Take::Tools => tools.read(&names_in(value, file)),
            Take::ToolsOfServers => tools.read_map(value, file),
            Take::WithoutTools => tools.remove(names_in(value, file)),
            Take::Permissions => match scalar(value) {
                Some("plan") => tools.without_changes(line),
                Some("acceptEdits") => tools.allow(&[BuiltIn::FilesystemWrite, BuiltIn::FilesystemEdit]),
                Some("bypassPermissions") => tools.allow(&BuiltIn::ALL),
                Some("default") => {}
                _ => self.left(
                    field,
                    &shown(name, value),
                    "the card asks a person before a call that changes something",
                ),
            },
            Take::Servers => tools.read_servers(value, file),
            Take::Agents => {
                for (line, name) in names_in(value, file) {
                    if name == "*" {
                        self.note(
                            line,
                            "`agents: *` is left out: name each agent that it may call".to_owned(),
                        );
                    } else {
                        self.children.push((line, name));
                    }
                }
            }
            Take::Skills => {
                if !matches!(&value.value, Value::List(items) if items.is_empty()) {
                    tools.add(line, &[BuiltIn::SkillsRead]);
                    if has_skills() {
                        let reads = "the model reads a skill of the working directory when a task needs it";
                        self.note(line, format!("`{name}` is `runtime: [skills.read]`: {reads}"));
                    }
                }
            }
            Take::Switch(tool) => match scalar(value) {
                Some(word) if word.eq_ignore_ascii_case("true") => tools.add(line, &[tool]),
                Some(word) if word.eq_ignore_ascii_case("false") => {}
                _ => self.left(field, &shown(name, value), "it is neither `true` nor `false`"),
            },
            Take::Limit(limit) => self.limit(limit, line, value),
            Take::Setting(setting) => self.setting(setting, line, value),
            Take::Params => self.params(value, file),
        }
    }

    fn model(&mut self, field: &Field) {
        let line = field.line;
        let names = match &field.value.value {
            Value::List(items) => items.iter().filter_map(scalar).collect(),
            Value::Scalar(_) => scalar(&field.value).into_iter().collect::<Vec<_>>(),
            Value::Map(_) => Vec::new(),
        };
        let Some((first, others)) = names.split_first() else {
            return self.left(field, "`model`", "it is not the name of a model");
        };
        match model(self.kind, first) {
            Ok((name, lost)) => {
                if name != *first {
                    self.note(line, format!("the model `{}` is `{name}` here", beginning(first, 80)));
                }
                if let Some(lost) = lost {
                    self.note(line, format!("a part of `{}` is left out: {lost}", beginning(first, 80)));
                }
                self.set(Setting::Model, line, Json::from(name));
            }
            Err(why) => self.left(field, &format!("`model: {}`", beginning(first, 80)), why),
        }
        for other in others {
            self.note(
                line,
                format!("the model `{}` is left out: an agent asks one model", beginning(other, 80)),
            );
        }
    }

    fn params(&mut self, value: &Node, file: &AgentFile) {
        let Value::Map(entries) = &value.value else {
            return self
                .note(file.line(&value.span), "`request_params` is left out: it has no fields".to_owned());
        };
        for (key, value) in entries {
            let line = file.line(&key.span);
            match PARAMS.iter().find(|(name, _)| *name == key.value) {
                Some((_, ParamPlace::Limit(limit))) => self.limit(*limit, line, value),
                Some((_, ParamPlace::Param(param))) => {
                    self.lines.push((param.word(), line));
                    self.card
                        .request_params
                        .push((Spanned::new(*param, 0..0), Spanned::new(value.to_json(), 0..0)));
                }
                None => {
                    self.note(line, format!("`{}` is left out: cards have no such parameter", key.value));
                }
            }
        }
    }

    fn limit(&mut self, limit: Limit, line: usize, value: &Node) {
        self.lines.push((limit.word(), line));
        self.card.limits.push((Spanned::new(limit, 0..0), Spanned::new(value.to_json(), 0..0)));
    }

    fn setting(&mut self, setting: Setting, line: usize, value: &Node) {
        let json = value.to_json();
        // What is `false` is said by no field.
        if json != Json::Bool(false) {
            self.set(setting, line, json);
        }
    }

    fn set(&mut self, setting: Setting, line: usize, value: Json) {
        self.lines.push((setting.word(), line));
        self.card.settings.push((setting, Spanned::new(value, 0..0)));
    }

    pub(super) fn put_text(&mut self, field: TextField, line: usize, text: &str) {
        self.lines.push((field.word(), line));
        if !text.is_empty() {
            self.card.texts.retain(|(known, _)| *known != field);
            let text = Text::Template(Spanned::new(text.replace("\r\n", "\n"), 0..0));
            self.card.texts.push((field, text));
        }
    }

    /// The text of the card, and what stands in place of placeholders.
    fn instruction(&mut self, file: &AgentFile) -> Result<(), Note> {
        let field =
            file.fields.iter().find(|field| field.name == "instruction" && self.kind == Kind::FastAgent);
        let written = field.and_then(|field| scalar(&field.value)).map(str::trim);
        let (line, text) = match (file.body(), written) {
            (Some(body), Some(_)) => {
                self.note(
                    field.map_or(1, |field| field.line),
                    "`instruction` is left out: the text below the fields counts".to_owned(),
                );
                (file.body_line(), body)
            }
            (Some(body), None) => (file.body_line(), body),
            (None, Some(text)) => (field.map_or(1, |field| field.line), text),
            (None, None) => (1, ""),
        };
        let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.kind == Kind::FastAgent {
            let places = Places::replace(&text, line, &self.card.name.value);
            self.notes.extend(places.notes);
            if places.has_date {
                self.card.flags.push((Flag::DateTime, Spanned::new(true, 0..0)));
            }
            places.text.strip_prefix("---SYSTEM").unwrap_or(&places.text).trim().clone_into(&mut text);
        }
        if text.is_empty() && self.directions.is_none() {
            text = match (self.kind, self.card.text(TextField::Description)) {
                (Kind::FastAgent, _) => DEFAULT_INSTRUCTION.to_owned(),
                (_, Some(Text::Template(description))) => description.value.clone(),
                _ => {
                    return Err(Note::new(
                        1,
                        "the file has no text and no description, so there is nothing that the agent would do",
                    ));
                }
            };
            self.note(1, format!("the file has no text; the card has this one: `{}`", beginning(&text, 80)));
        }
        self.lines.push((TextField::Instructions.word(), line));
        self.text = text;
        Ok(())
    }

    /// The line of its name.
    pub(super) fn name_line(&self) -> usize {
        self.lines.iter().find(|(word, _)| *word == "name").map_or(1, |(_, line)| *line)
    }

    pub(super) fn note(&mut self, line: usize, text: String) {
        self.notes.push(Note::new(line, text));
    }

    fn left(&mut self, field: &Field, what: &str, why: &str) {
        self.note(field.line, format!("{what} is left out: {why}"));
    }
}

/// A field with its value, if that is short.
fn shown(name: &str, value: &Node) -> String {
    match scalar(value) {
        Some(text) => format!("`{name}: {}`", beginning(text, 60)),
        None => format!("`{name}`"),
    }
}

/// A name with `-` in place of what a name cannot have.
fn slug(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(LONGEST_AGENT_NAME);
    slug.trim_end_matches('-').to_owned()
}
