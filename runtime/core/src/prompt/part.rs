//! The parts of a system prompt.

use std::fmt;

use super::change::PromptChange;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Flag, TextField};

/// A part of a system prompt. A prompt has its parts in the order of the variants, which is the order of Agno's prompt,
/// unless its [`PromptOrder`](super::PromptOrder) is another one.
///
/// "Off" is a part that is left out until the agent or the program adds it. "Empty" is a part without a default text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PromptPart {
    /// A text that replaces the whole prompt: all other parts are left out. If its source returns no text in
    /// a turn, the other parts are used. Empty.
    SystemMessage,
    /// The agent's `description`. On.
    Description,
    /// The agent's `role`. Empty.
    Role,
    /// The agent's `instruction`. On.
    Instructions,
    /// The model's instructions for agents ([`Model::instructions`](crate::model::Model::instructions)). On.
    ModelInstructions,
    /// The request to answer in Markdown. Off.
    Markdown,
    /// The date and the time, in UTC. Off.
    DateTime,
    /// The location of the user. Empty.
    Location,
    /// The agent's name. Off.
    Name,
    /// The `instructions` of the tools that the turn offers. On.
    ToolInstructions,
    /// The expected form or content of the agent's answer. Empty.
    ExpectedOutput,
    /// The agent's `additional_context`. Empty.
    AdditionalContext,
    /// Facts about the user from earlier conversations. Empty.
    Memories,
    /// Knowledge that several agents share. Empty.
    Culture,
    /// A summary of the session's earlier messages. Empty.
    SessionSummary,
    /// Lessons that the agent learned. Empty.
    Learnings,
    /// Passages from a knowledge base, or the advice to search it. Empty.
    Knowledge,
    /// The model's own system message ([`Model::system_message`](crate::model::Model::system_message)). On.
    ModelSystemMessage,
    /// The form of the answer. Empty.
    OutputSchema,
    /// The values that the answer must contain, for an agent whose `parser_model` reads them out of it. On in runs
    /// with such an answer.
    ParsedValues,
    /// The agent's state and the values of the session's state, as JSON. Off.
    SessionState,
}

impl PromptPart {
    /// Whether the runtime provides a text for the part.
    pub(super) fn is_known(self) -> bool {
        matches!(
            self,
            Self::Description
                | Self::ModelInstructions
                | Self::Markdown
                | Self::DateTime
                | Self::Name
                | Self::ToolInstructions
                | Self::ModelSystemMessage
                | Self::SessionState
        )
    }

    /// Whether the part is included by default.
    pub(super) fn is_on(self) -> bool {
        self.is_known() && !matches!(self, Self::Markdown | Self::DateTime | Self::Name | Self::SessionState)
    }

    /// The field that switches it on or off.
    fn flag(self) -> Option<&'static Flag> {
        Flag::ALL.iter().find(|flag| Self::from(**flag) == self)
    }

    /// Says beside what the part has no effect.
    pub(crate) fn unused(self, is_left_out: bool) -> String {
        match (is_left_out, self.flag()) {
            (false, _) => format!("`{self}` beside a `SystemMessage`, which replaces all other parts"),
            (true, Some(flag)) => format!("`{self}`, which the agent leaves out (`{flag}: false`)"),
            (true, None) => format!("`{self}`, which the agent leaves out"),
        }
    }

    /// Says what to write if the part is included and has no text.
    pub(crate) fn without_text(self) -> String {
        let field = self.flag().map(|flag| format!(" (`{flag}: true`)")).unwrap_or_default();
        let (what, method, value) = match self {
            Self::Memories | Self::Culture | Self::SessionSummary | Self::Learnings | Self::Knowledge => {
                ("a source", "source", "..")
            }
            Self::SystemMessage
            | Self::Description
            | Self::Role
            | Self::Instructions
            | Self::ModelInstructions
            | Self::Markdown
            | Self::DateTime
            | Self::Location
            | Self::Name
            | Self::ToolInstructions
            | Self::ExpectedOutput
            | Self::AdditionalContext
            | Self::ModelSystemMessage
            | Self::OutputSchema
            | Self::ParsedValues
            | Self::SessionState => ("one", "text", "\"..\""),
        };
        format!(
            "`{self}`{field} without a text: set {what} with `.prompt(Prompt::new().{method}(PromptPart::{self}, {value}))`"
        )
    }

    /// How often the text of the runtime changes.
    pub(super) fn known_changes(self) -> PromptChange {
        match self {
            Self::DateTime | Self::SessionState => PromptChange::EachTurn,
            Self::SystemMessage
            | Self::Description
            | Self::Role
            | Self::Instructions
            | Self::ModelInstructions
            | Self::Markdown
            | Self::Location
            | Self::Name
            | Self::ToolInstructions
            | Self::ExpectedOutput
            | Self::AdditionalContext
            | Self::Memories
            | Self::Culture
            | Self::SessionSummary
            | Self::Learnings
            | Self::Knowledge
            | Self::ModelSystemMessage
            | Self::OutputSchema
            | Self::ParsedValues => PromptChange::Never,
        }
    }

    /// The form of the part in the prompt.
    pub(super) fn form(self) -> Form {
        match self {
            Self::Role => Form::Tagged("your_role"),
            Self::ExpectedOutput => Form::Tagged(TextField::ExpectedOutput.word()),
            Self::Memories => Form::Tagged("memories"),
            Self::Culture => Form::Tagged("culture"),
            Self::SessionSummary => Form::Tagged("session_summary"),
            Self::Learnings => Form::Tagged("learnings"),
            Self::Knowledge => Form::Tagged("knowledge"),
            Self::OutputSchema => Form::Tagged("output_schema"),
            Self::SessionState => Form::Tagged("session_state"),
            Self::Markdown => Form::Line(""),
            Self::DateTime => Form::Line("The current time is "),
            Self::Location => Form::Line("The user's location is "),
            Self::Name => Form::Line("Your name is "),
            Self::SystemMessage
            | Self::Description
            | Self::Instructions
            | Self::ModelInstructions
            | Self::ToolInstructions
            | Self::AdditionalContext
            | Self::ModelSystemMessage
            | Self::ParsedValues => Form::Plain,
        }
    }
}

/// How a part is written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Plain,
    /// In this tag.
    Tagged(&'static str),
    /// As a line of the additional information, after these words.
    Line(&'static str),
}

impl From<TextField> for PromptPart {
    fn from(field: TextField) -> Self {
        match field {
            TextField::Description => Self::Description,
            TextField::Instructions => Self::Instructions,
            TextField::Role => Self::Role,
            TextField::ExpectedOutput => Self::ExpectedOutput,
            TextField::AdditionalContext => Self::AdditionalContext,
            TextField::SystemMessage => Self::SystemMessage,
        }
    }
}

impl From<Flag> for PromptPart {
    fn from(flag: Flag) -> Self {
        match flag {
            Flag::Markdown => Self::Markdown,
            Flag::DateTime => Self::DateTime,
            Flag::Location => Self::Location,
            Flag::Name => Self::Name,
            Flag::Memories => Self::Memories,
            Flag::Culture => Self::Culture,
            Flag::SessionSummary => Self::SessionSummary,
            Flag::Learnings => Self::Learnings,
            Flag::Knowledge => Self::Knowledge,
            Flag::SessionState => Self::SessionState,
        }
    }
}

impl fmt::Display for PromptPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
