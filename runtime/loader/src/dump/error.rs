//! Why an agent cannot be written as a card.

/// Why an agent cannot be written as a card: nothing of it is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A part of the agent is code, which no card holds.
    #[error("the agent `{agent}` cannot be a card: {part} is code; {advice}")]
    #[non_exhaustive]
    Code {
        /// The agent.
        agent: String,
        /// The part, such as `` `instruction` `` or ``the value of the hook `retry` ``.
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
    /// A workflow says more of the agent than a card can: other words for its tools, or a text that ends its runs.
    #[error(
        "the agent `{agent}` cannot be a card: its workflow has other words for its tools, or a `termination`; keep the folder"
    )]
    #[non_exhaustive]
    Workflow {
        /// The agent.
        agent: String,
    },
    /// Two agents have this name, so a card cannot name one of them as a child.
    #[error(
        "two agents beneath this one are called `{agent}`, and cards name agents by their names; give one of them another `name`"
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
