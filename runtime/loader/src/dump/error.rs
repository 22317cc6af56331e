//! Why an agent cannot be written as a card.

use std::fmt;

/// Why an agent cannot be written as a card: nothing of it is left out. `Debug` gives the text of the error.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A part of the agent is code, which no card holds.
    #[error("the agent `{agent}` cannot be a card: {part} is code; {advice}")]
    #[non_exhaustive]
    Code {
        /// The agent.
        agent: String,
        /// The part, such as `` `instruction` `` or ``the value of `retry` ``.
        part: String,
        /// What to do.
        advice: &'static str,
    },
    /// The registry does not have an item of the agent, so a card has no name for it.
    #[error(
        "the agent `{agent}` cannot be a card: the registry does not have `{item}` of its `{field}`; call `.{method}::<{item}>()` of its items"
    )]
    #[non_exhaustive]
    Unregistered {
        /// The agent.
        agent: String,
        /// The tool, the hook or the type.
        item: String,
        /// The field.
        field: &'static str,
        /// The method that registers it.
        method: &'static str,
    },
    /// The registry has another item of this name.
    #[error(
        "the agent `{agent}` cannot be a card: the registry has another `{item}`, `{known}`, than its `{field}`; register this one. A file \
         that `agent!(card = ..)` compiles and that the program includes too gives two types: put such an item into a module of the \
         program, and name it by its path, `crate::..`"
    )]
    #[non_exhaustive]
    AnotherItem {
        /// The agent.
        agent: String,
        /// The tool, the hook or the type.
        item: String,
        /// The item of this name that is registered.
        known: String,
        /// The field.
        field: &'static str,
    },
    /// A workflow says more of the agent than a card can: other words for its tools, or a text that ends its runs.
    #[error(
        "the agent `{agent}` cannot be a card: its workflow has other words for its tools, or a `termination`; keep the folder"
    )]
    #[non_exhaustive]
    Workflow {
        /// The agent.
        agent: String,
    },
    /// `tool_choice` names a tool that is called `auto`, `none` or `required`, which a card reads as a choice.
    #[error(
        "the agent `{agent}` cannot be a card: in a card, `tool_choice: {tool}` does not name the tool `{tool}`; give the tool another name"
    )]
    #[non_exhaustive]
    ToolChoice {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
    },
    /// Two agents have this name, so a card cannot name one of them as a child.
    #[error(
        "two agents below this one are called `{agent}`, and cards name agents by their names; give one of them another `name`"
    )]
    #[non_exhaustive]
    TwoAgents {
        /// The name.
        agent: String,
    },
    /// Code of the program panicked while it declared the agent.
    #[error("the agent `{agent}` cannot be a card: its declaration panicked: {reason}")]
    #[non_exhaustive]
    Panicked {
        /// The agent.
        agent: String,
        /// The text of the panic.
        reason: String,
    },
}

impl fmt::Debug for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
