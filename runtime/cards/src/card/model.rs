//! The fields of a card, read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use onionskin_vocabulary::agent::{Flag, Limit, RequestParam, Setting, TextField, TurnPlace};
use onionskin_vocabulary::server_data::PatternField;
use serde_json::Value;

use crate::item::Item;
use crate::paths::{normal, shown};
use crate::source::{Source, Spanned};
use crate::target::Target;
use crate::tool_use::ToolUse;

/// An agent card without mistakes that the card alone shows.
#[derive(Debug, Clone, Default)]
pub struct Card {
    /// The file.
    pub path: PathBuf,
    /// Its text, under the name that messages show.
    pub source: Source,
    /// The agent's name: the field, or the file's name without its ending.
    pub name: Spanned<String>,
    /// The texts of its prompt. The instruction of a Markdown card is the field, or the text below the fields.
    pub texts: Vec<(TextField, Text)>,
    /// The parts of the prompt that are switched on or off.
    pub flags: Vec<(Flag, Spanned<bool>)>,
    /// Servers of tools.
    pub servers: Vec<Spanned<String>>,
    /// Patterns for the tools of a server.
    pub tools: Vec<ServerPatterns>,
    /// Patterns for the URIs of the resources of a server that the agent reads.
    pub resources: Vec<ServerPatterns>,
    /// Patterns for the names of the prompts of a server that the agent gets.
    pub prompts: Vec<ServerPatterns>,
    /// The headers of the calls to each server that is reached by address.
    pub headers: Vec<ServerHeaders>,
    /// Tools of the program.
    pub function_tools: Vec<Spanned<Item>>,
    /// What a workflow says of tools among them.
    pub tool_uses: Vec<ToolUse>,
    /// Toolboxes of the program.
    pub toolboxes: Vec<Toolbox>,
    /// Child agents: the names of cards, or paths of the program's agents.
    pub agents: Vec<Spanned<String>>,
    /// Hooks around tool calls, the outermost first.
    pub tool_hooks: Vec<HookItem>,
    /// Guardrails on the arguments of calls, each with the calls that it checks.
    pub input_guardrails: Vec<(Hook, Option<Filter>)>,
    /// Guardrails on the results of calls.
    pub output_guardrails: Vec<(Hook, Option<Filter>)>,
    /// The calls that need approval; `None` if the card does not say it.
    pub approval: Option<Vec<Approval>>,
    /// Hooks around runs.
    pub run_hooks: Vec<Hook>,
    /// Hooks around turns, each with its place if the card names it.
    pub turn_hooks: Vec<(Option<Spanned<TurnPlace>>, Hook)>,
    /// Hooks on messages.
    pub message_hooks: Vec<Hook>,
    /// Built-in tools.
    pub runtime: Vec<Spanned<String>>,
    /// The text in an answer that ends a run. A workflow says it.
    pub until: Option<Spanned<String>>,
    /// A function in place of the loop.
    pub run: Option<Spanned<Item>>,
    /// The settings, each with a value of its kind.
    pub settings: Vec<(Setting, Spanned<Value>)>,
    /// Model parameters.
    pub request_params: Vec<(Spanned<RequestParam>, Spanned<Value>)>,
    /// Limits of a run.
    pub limits: Vec<(Spanned<Limit>, Spanned<Value>)>,
    /// The type of the session's state.
    pub state: Option<Spanned<Item>>,
    /// The type of the input that parents give.
    pub input: Option<Spanned<Item>>,
    /// The type of the answers.
    pub output: Option<Spanned<Item>>,
}

/// A server, and patterns for what the agent uses of it.
pub type ServerPatterns = (Spanned<String>, Vec<Spanned<String>>);

/// A server, and its headers: each a name and a value with places for secrets.
pub type ServerHeaders = (Spanned<String>, Vec<(Spanned<String>, Spanned<String>)>);

/// A text of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// A text with places such as `{guest}`.
    Template(Spanned<String>),
    /// A function of the run that returns the text.
    Function(Spanned<Item>),
}

/// A toolbox that a card names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolbox {
    /// The prefix of its tools.
    pub prefix: Option<Spanned<String>>,
    /// Its type.
    pub item: Spanned<Item>,
}

/// An item of `tool_hooks`.
#[derive(Debug, Clone, PartialEq)]
pub enum HookItem {
    /// A hook, and the calls that it sees.
    Hook(Hook, Option<Filter>),
    /// `..`: the place of hooks that are added at run time.
    Rest(Spanned<()>),
}

/// A hook or a guardrail, and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// The item of the program.
    pub item: Spanned<Item>,
    /// The values of its configuration.
    pub with: Vec<Spanned<Value>>,
}

/// Calls that need approval.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// When they need it.
    pub rule: ApprovalRule,
    /// The calls.
    pub filter: Filter,
    /// The entry.
    pub span: Range<usize>,
}

/// When calls need approval.
#[derive(Debug, Clone, PartialEq)]
pub enum ApprovalRule {
    /// Always.
    Always,
    /// Always, for this reason.
    Because(Spanned<String>),
    /// If this function of the program requires it.
    Function(Spanned<Item>),
}

/// The calls that a hook or a guardrail sees: the calls of the targets, or all other calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Whether the targets are those that it does not see.
    pub except: bool,
    /// The targets.
    pub targets: Vec<Spanned<Target>>,
}

impl Filter {
    /// Whether it is `for: [everywhere]`.
    pub fn is_everywhere(&self) -> bool {
        self.targets.iter().any(|target| target.value == Target::Everywhere)
    }
}

impl Card {
    /// A card without fields, of an agent of this name.
    pub fn named(name: &str) -> Self {
        let file = format!("{name}.md");
        Self {
            path: PathBuf::from(&file),
            source: Source::new(file, ""),
            name: Spanned::new(name.to_owned(), 0..0),
            ..Self::default()
        }
    }

    /// A text of its prompt.
    pub fn text(&self, field: TextField) -> Option<&Text> {
        self.texts.iter().find(|(known, _)| *known == field).map(|(_, text)| text)
    }

    /// The patterns of a field.
    pub fn patterns(&self, field: PatternField) -> &[ServerPatterns] {
        match field {
            PatternField::Tools => &self.tools,
            PatternField::Resources => &self.resources,
            PatternField::Prompts => &self.prompts,
        }
    }

    /// Whether a field has patterns for a server.
    pub(super) fn has_patterns(&self, field: PatternField, server: &str) -> bool {
        self.patterns(field).iter().any(|(known, _)| known.value == server)
    }

    /// The value of a setting.
    pub fn setting(&self, setting: Setting) -> Option<&Spanned<Value>> {
        self.settings.iter().find(|(known, _)| *known == setting).map(|(_, value)| value)
    }

    /// The name of its model.
    pub fn model(&self) -> Option<Spanned<&str>> {
        let model = self.setting(Setting::Model)?;
        Some(Spanned::new(model.value.as_str()?, model.span.clone()))
    }

    /// The time of its runs, in seconds.
    pub fn time(&self) -> Option<Spanned<f64>> {
        let (_, time) = self.limits.iter().find(|(limit, _)| limit.value == Limit::Time)?;
        Some(Spanned::new(time.value.as_f64()?, time.span.clone()))
    }

    /// The time that it waits for a child, in seconds.
    pub fn child_timeout(&self) -> Option<Spanned<f64>> {
        let time = self.setting(Setting::ChildTimeout)?;
        Some(Spanned::new(time.value.as_f64()?, time.span.clone()))
    }

    /// Whether it is the entry agent.
    pub fn is_default(&self) -> bool {
        self.setting(Setting::Default).is_some_and(|default| default.value == Value::Bool(true))
    }

    /// Those with a filter, or with a place for one: the hooks around tool calls, then the guardrails.
    pub fn around_calls(&self) -> impl Iterator<Item = (&Hook, Option<&Filter>)> {
        let hooks = self.tool_hooks.iter().filter_map(|item| match item {
            HookItem::Hook(hook, filter) => Some((hook, filter.as_ref())),
            HookItem::Rest(_) => None,
        });
        let guardrails = self.input_guardrails.iter().chain(&self.output_guardrails);
        hooks.chain(guardrails.map(|(guardrail, filter)| (guardrail, filter.as_ref())))
    }

    /// All filters: of hooks, of guardrails and of approval.
    pub fn filters(&self) -> impl Iterator<Item = &Filter> {
        let approval = self.approval.iter().flatten().map(|approval| &approval.filter);
        self.around_calls().filter_map(|(_, filter)| filter).chain(approval)
    }

    /// What a workflow says of a tool of the agent.
    pub fn tool_use(&self, tool: &Item) -> Option<&ToolUse> {
        self.tool_uses.iter().find(|used| used.item.value == *tool)
    }

    /// The folder that the files of its items are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or_else(|| Path::new(""))
    }

    /// The full path of a file beside the card.
    pub fn beside(&self, file: &str) -> PathBuf {
        normal(&self.folder().join(file))
    }

    /// The path of a file beside the card, as messages show it.
    pub fn shown(&self, file: &str) -> String {
        let folder = self.source.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        shown(&normal(&Path::new(folder).join(file)))
    }
}
