//! How often the parts of a prompt change.

/// How often the text of a part of a prompt changes. Providers cache the beginning of a request up to its first
/// change, so [`PromptOrder::ByChange`](super::PromptOrder::ByChange) puts parts that change more often behind the
/// others.
///
/// A text without placeholders never changes, unless a request sets it: then it changes with each run. A text with
/// placeholders, the date and the state change with each turn. So does a source, unless
/// [`PromptSource::changes`](super::PromptSource::changes) says otherwise.
///
/// The instructions of tools count as a part that never changes. They change with the list of tools, and providers
/// read the tools before the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PromptChange {
    /// The text is the same in all runs of the agent.
    Never,
    /// The text is the same in all turns of a run.
    EachRun,
    /// The text can differ in each turn.
    EachTurn,
}
