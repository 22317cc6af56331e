//! What a card needs of the program: its tools, its hooks and its types. The macros look for them in files of Rust, and the loader
//! in what the program registered, with the same errors.

use std::fmt;

use onionskin_vocabulary::agent::TurnPlace;
use serde_json::Value;

use crate::card::{ApprovalRule, Card, HookItem, Text};
use crate::item::Item;
use crate::source::Spanned;

/// What an item of the program has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A toolbox.
    Toolbox,
    /// A hook around tool calls.
    ToolHook,
    /// A guardrail on the arguments of calls.
    InputGuardrail,
    /// A guardrail on the results of calls.
    OutputGuardrail,
    /// A rule for approval.
    ApprovalRule,
    /// A hook around runs.
    RunHook,
    /// A hook around turns, and its place if the card names it.
    TurnHook(Option<TurnPlace>),
    /// A hook on messages.
    MessageHook,
    /// A function that gives a text of the prompt.
    Text,
    /// A function in place of the loop.
    Strategy,
    /// A type.
    Type,
    /// An agent.
    Agent,
}

/// An item that a card names.
#[derive(Debug, Clone, Copy)]
pub struct Need<'c> {
    /// The item.
    pub item: &'c Spanned<Item>,
    /// What it has to be.
    pub kind: Kind,
    /// The values that the card gives it, if it is a hook or a guardrail.
    pub with: Option<&'c [Spanned<Value>]>,
}

/// What a value of the configuration of a hook or a guardrail has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A whole number.
    Whole,
    /// A whole number of a type that holds these only.
    Between {
        /// The least one.
        least: i128,
        /// The greatest one, of those that a card can hold.
        most: u64,
    },
    /// A number.
    Number,
    /// A text.
    Text,
    /// `true` or `false`.
    Flag,
}

impl Card {
    /// All items that the card names, the hooks and guardrails last.
    pub fn needs(&self) -> Vec<Need<'_>> {
        let mut needs = Vec::new();
        let mut need = |item, kind| needs.push(Need { item, kind, with: None });
        for (_, text) in &self.texts {
            if let Text::Function(item) = text {
                need(item, Kind::Text);
            }
        }
        for tool in &self.function_tools {
            need(tool, Kind::Tool);
        }
        for toolbox in &self.toolboxes {
            need(&toolbox.item, Kind::Toolbox);
        }
        if let Some(run) = &self.run {
            need(run, Kind::Strategy);
        }
        for item in [&self.state, &self.input, &self.output].into_iter().flatten() {
            need(item, Kind::Type);
        }
        for approval in self.approval.iter().flatten() {
            if let ApprovalRule::Function(item) = &approval.rule {
                need(item, Kind::ApprovalRule);
            }
        }
        let tool_hooks = self.tool_hooks.iter().filter_map(|item| match item {
            HookItem::Hook(hook, _) => Some((hook, Kind::ToolHook)),
            HookItem::Rest(_) => None,
        });
        let around_turns = self.turn_hooks.iter().map(|(place, hook)| {
            let place = place.as_ref().map(|place| place.value);
            (hook, Kind::TurnHook(place))
        });
        let hooks = tool_hooks
            .chain(self.input_guardrails.iter().map(|(guardrail, _)| (guardrail, Kind::InputGuardrail)))
            .chain(self.output_guardrails.iter().map(|(guardrail, _)| (guardrail, Kind::OutputGuardrail)))
            .chain(self.run_hooks.iter().map(|hook| (hook, Kind::RunHook)))
            .chain(around_turns)
            .chain(self.message_hooks.iter().map(|hook| (hook, Kind::MessageHook)));
        needs.extend(hooks.map(|(hook, kind)| Need { item: &hook.item, kind, with: Some(&hook.with) }));
        needs
    }
}

impl Kind {
    /// Whether a card may name an item of the kind `found` where it wants this one.
    pub fn accepts(self, found: Self) -> bool {
        match (self, found) {
            (Self::TurnHook(Some(wanted)), Self::TurnHook(Some(found))) => wanted == found,
            (Self::TurnHook(_), Self::TurnHook(_)) => true,
            (wanted, found) => wanted == found,
        }
    }

    /// Whether it is a hook or a guardrail.
    pub(crate) fn is_hook(self) -> bool {
        matches!(
            self,
            Self::ToolHook
                | Self::InputGuardrail
                | Self::OutputGuardrail
                | Self::RunHook
                | Self::TurnHook(_)
                | Self::MessageHook
        )
    }

    /// Whether a file of a workflow has at most one of this kind.
    pub fn is_tool_or_hook(self) -> bool {
        self == Self::Tool || self.is_hook()
    }

    /// The file that such an item is in, for example.
    pub(crate) fn file(self) -> &'static str {
        self.words().1
    }

    /// The field of a card for it, if there is one only.
    pub(crate) fn field(self) -> Option<&'static str> {
        self.words().2
    }

    /// The attribute that makes a function one of it.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        self.words().3
    }

    /// What it is, its file, its field and its attribute.
    fn words(self) -> (&'static str, &'static str, Option<&'static str>, Option<&'static str>) {
        match self {
            Self::Tool => ("a tool", "tools.rs", Some("function_tools"), Some("tool")),
            Self::Toolbox => ("a toolbox", "kb.rs", Some("toolboxes"), None),
            Self::ToolHook => ("a hook around tool calls", "hooks.rs", Some("tool_hooks"), Some("tool_hook")),
            Self::InputGuardrail => (
                "a guardrail on arguments",
                "guardrails.rs",
                Some("input_guardrails"),
                Some("guardrail(input)"),
            ),
            Self::OutputGuardrail => (
                "a guardrail on results",
                "guardrails.rs",
                Some("output_guardrails"),
                Some("guardrail(output)"),
            ),
            Self::ApprovalRule => ("a rule for approval", "rules.rs", Some("approval"), None),
            Self::RunHook => ("a hook around runs", "hooks.rs", Some("run_hooks"), Some("run_hook(..)")),
            Self::TurnHook(_) => {
                ("a hook around turns", "hooks.rs", Some("turn_hooks"), Some("turn_hook(..)"))
            }
            Self::MessageHook => {
                ("a hook on messages", "hooks.rs", Some("message_hooks"), Some("message_hook(..)"))
            }
            Self::Text => ("a function that gives text", "prompts.rs", None, None),
            Self::Strategy => ("a function that runs an agent", "strategy.rs", None, None),
            Self::Type => ("a type", "types.rs", None, None),
            Self::Agent => ("an agent", "agents.rs", Some("agents"), None),
        }
    }
}

impl ValueKind {
    /// What a value of a type of Rust has to be, if cards can be held to it: `u32`, `f64`, `bool` or `String`.
    pub fn from_type(name: &str) -> Option<Self> {
        let between = |least: i128, most: u64| Some(Self::Between { least, most });
        match name {
            "u8" => between(0, u8::MAX.into()),
            "u16" => between(0, u16::MAX.into()),
            "u32" => between(0, u32::MAX.into()),
            "u64" | "u128" | "usize" => between(0, u64::MAX),
            "i8" => between(i8::MIN.into(), i8::MAX.unsigned_abs().into()),
            "i16" => between(i16::MIN.into(), i16::MAX.unsigned_abs().into()),
            "i32" => between(i32::MIN.into(), i32::MAX.unsigned_abs().into()),
            "i64" | "isize" => between(i64::MIN.into(), i64::MAX.unsigned_abs()),
            "i128" => between(i64::MIN.into(), u64::MAX),
            "f32" | "f64" => Some(Self::Number),
            "String" => Some(Self::Text),
            "bool" => Some(Self::Flag),
            _ => None,
        }
    }

    pub(crate) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Whole => whole(value).is_some(),
            Self::Between { least, most } => {
                whole(value).is_some_and(|number| (least..=i128::from(most)).contains(&number))
            }
            Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
        }
    }
}

/// The whole number that a value is.
fn whole(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Between { least, most } => return write!(f, "a whole number from {least} to {most}"),
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Flag => "`true` or `false`",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}
