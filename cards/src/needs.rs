//! What a card needs of the program: its tools, its hooks and its types. The macros look for them in files of Rust, and the loader
//! in what the program registered, with the same errors.

use std::fmt;

use serde_json::Value;

use crate::card::{Card, HookItem, Text};
use crate::problem::Problem;
use crate::source::Spanned;
use crate::suggest::nearest;
use crate::use_of::Item;

/// The types that have no place.
const TYPES: [&str; 17] = [
    "String", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// What an item of the program has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A toolbox.
    Toolbox,
    /// A hook around tool calls.
    ToolHook,
    /// A hook around runs.
    RunHook,
    /// A hook around turns, and its place if the card names it.
    TurnHook(Option<&'static str>),
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
    /// The values that the card gives it, if it is a hook.
    pub with: Option<&'c [Spanned<Value>]>,
}

/// What a value of a hook's configuration has to be.
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
    /// All items that the card names, the hooks last.
    pub fn needs(&self) -> Vec<Need<'_>> {
        let mut needs = Vec::new();
        let mut need = |item, kind| needs.push(Need { item, kind, with: None });
        let texts = [
            &self.description,
            &self.instruction,
            &self.role,
            &self.expected_output,
            &self.additional_context,
            &self.system_message,
        ];
        for text in texts.into_iter().flatten() {
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
        let around_calls = self.tool_hooks.iter().filter_map(|item| match item {
            HookItem::Hook(hook, _) => Some((hook, Kind::ToolHook)),
            HookItem::Rest(_) => None,
        });
        let around_turns = self.turn_hooks.iter().map(|(place, hook)| {
            let place = place.as_ref().map(|place| place.value);
            (hook, Kind::TurnHook(place))
        });
        let hooks = around_calls
            .chain(self.run_hooks.iter().map(|hook| (hook, Kind::RunHook)))
            .chain(around_turns)
            .chain(self.message_hooks.iter().map(|hook| (hook, Kind::MessageHook)));
        needs.extend(hooks.map(|(hook, kind)| Need { item: &hook.item, kind, with: Some(&hook.with) }));
        needs
    }
}

impl Need<'_> {
    fn problem(&self, message: String) -> Problem {
        Problem { message, span: self.item.span.clone() }
    }

    /// The error if the item is named without its place: `add_one`. `file` is a file beside the card that has it, if one is known.
    pub fn without_place(&self, file: Option<&str>) -> Option<Problem> {
        let Item::Path(name) = &self.item.value else { return None };
        if name.contains("::") || self.kind == Kind::Type && TYPES.contains(&&**name) {
            return None;
        }
        let file = file.unwrap_or(self.kind.file());
        let module = file.trim_end_matches(".rs");
        Some(self.problem(format!(
            "`{name}` has no file and no path: write `{file}:{name}`, or a path, `crate::{module}::{name}`"
        )))
    }

    /// The error if the file of the item does not exist. `file` is its path, as messages show it.
    pub fn missing_file(&self, file: &str) -> Problem {
        self.problem(format!("there is no file `{file}`; a card names files relative to its own folder"))
    }

    /// The error if the file exists and the program has registered nothing of it. `file` is its path, as messages show it.
    pub fn unregistered_file(&self, file: &str) -> Problem {
        self.problem(format!(
            "the program registers nothing of `{file}`: call `file(\"{file}\", ..)` of its `Registry`"
        ))
    }

    /// The error if a type is registered for other fields than this one.
    pub fn another_use(&self, field: &str) -> Problem {
        let item = &self.item.value;
        self.problem(format!(
            "`{item}` is not registered for `{field}`: the program calls `{field}::<..>()` for it"
        ))
    }

    /// The error if the place where the item should be has no item of this name; `names` are those that it has.
    pub fn missing<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Problem {
        let names: Vec<&str> = names.into_iter().collect();
        let (name, of) = match &self.item.value {
            Item::File { file, name } => (name, format!("`{file}` has no `{name}`")),
            Item::Path(path) => (path, format!("the program has no `{path}`")),
        };
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => format!("nothing in it is {}", self.kind),
            None => format!("there are: {}", names.join(", ")),
        };
        self.problem(format!("{of}; {hint}"))
    }

    /// The error if the item is something else: of the kind `found`, or of none of them.
    pub fn another_kind(&self, found: Option<Kind>) -> Problem {
        let item = &self.item.value;
        let message = match found {
            Some(Kind::TurnHook(Some(found))) => match self.kind {
                Kind::TurnHook(Some(wanted)) => {
                    format!("`{item}` is a hook of `{found}`, and not of `{wanted}`: name it below `{found}`")
                }
                _ => format!("`{item}` is a hook around turns: name it in `turn_hooks`"),
            },
            Some(kind) => match kind.field() {
                Some(field) => format!("`{item}` is {kind}: name it in `{field}`"),
                None => format!("`{item}` is {kind}, and not {}", self.kind),
            },
            None => match self.kind.attribute() {
                Some(attribute) => {
                    format!("`{item}` is not {}: write `#[{attribute}]` above it", self.kind)
                }
                None => format!("`{item}` is not {}", self.kind),
            },
        };
        self.problem(message)
    }

    /// The error in the values for a hook that takes these: each with its name, and with its kind if that is known.
    pub fn wrong_values(&self, takes: &[(String, Option<ValueKind>)]) -> Option<Problem> {
        let (with, item) = (self.with?, &self.item.value);
        if with.len() != takes.len() {
            let much = if with.len() < takes.len() { "few" } else { "many" };
            let (wanted, given) = (takes.len(), with.len());
            let names: Vec<&str> = takes.iter().map(|(name, _)| &**name).collect();
            let hint = match &*names {
                [] => String::new(),
                names => format!(": `with: [{}]`", names.join(", ")),
            };
            return Some(self.problem(format!(
                "too {much} values for `{item}`: it takes {wanted}, and this gives {given}{hint}"
            )));
        }
        takes.iter().zip(with).find_map(|((name, kind), value)| {
            let kind = kind.filter(|kind| !kind.takes(&value.value))?;
            let message = format!("`{name}` of `{item}` is {kind}");
            Some(Problem { message, span: value.span.clone() })
        })
    }

    /// The error for a script, where only Rust can be.
    pub fn script(&self) -> Problem {
        let item = &self.item.value;
        self.problem(format!(
            "`{item}` is a script, which is run when a program loads the card: write it in Rust here"
        ))
    }

    /// The error if other files cannot use the item.
    pub fn private(&self) -> Problem {
        let item = &self.item.value;
        self.problem(format!("`{item}` is private: write `pub` before it"))
    }
}

impl Kind {
    /// The file that such an item is in, for example.
    fn file(self) -> &'static str {
        match self {
            Self::Tool => "tools.rs",
            Self::Toolbox => "kb.rs",
            Self::ToolHook | Self::RunHook | Self::TurnHook(_) | Self::MessageHook => "hooks.rs",
            Self::Text => "prompts.rs",
            Self::Strategy => "strategy.rs",
            Self::Agent => "agents.rs",
            Self::Type => "types.rs",
        }
    }

    /// The field of a card for it, if there is one only.
    fn field(self) -> Option<&'static str> {
        match self {
            Self::Tool => Some("function_tools"),
            Self::Toolbox => Some("toolboxes"),
            Self::ToolHook => Some("tool_hooks"),
            Self::RunHook => Some("run_hooks"),
            Self::TurnHook(_) => Some("turn_hooks"),
            Self::MessageHook => Some("message_hooks"),
            Self::Agent => Some("agents"),
            Self::Strategy | Self::Text | Self::Type => None,
        }
    }

    /// The attribute that makes a function one of it.
    fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Tool => Some("tool"),
            Self::ToolHook => Some("tool_hook"),
            Self::RunHook => Some("run_hook(..)"),
            Self::TurnHook(_) => Some("turn_hook(..)"),
            Self::MessageHook => Some("message_hook(..)"),
            Self::Toolbox | Self::Strategy | Self::Text | Self::Type | Self::Agent => None,
        }
    }
}

impl ValueKind {
    /// What a value of a type of Rust has to be, if cards can be held to it: `u32`, `f64`, `bool` or `String`.
    pub fn of_type(name: &str) -> Option<Self> {
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

    fn takes(self, value: &Value) -> bool {
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
        f.write_str(match self {
            Self::Tool => "a tool",
            Self::Toolbox => "a toolbox",
            Self::ToolHook => "a hook around tool calls",
            Self::RunHook => "a hook around runs",
            Self::TurnHook(_) => "a hook around turns",
            Self::MessageHook => "a hook on messages",
            Self::Text => "a function that gives text",
            Self::Strategy => "a function that runs an agent",
            Self::Type => "a type",
            Self::Agent => "an agent",
        })
    }
}
