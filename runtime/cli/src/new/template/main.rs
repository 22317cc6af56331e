//! An agent in Rust, and the command line over it and over the cards in `cards`.

use onionskin::loader::Registry;
use onionskin::{agent, tool};

/// Counts the letters of a word.
#[tool]
fn count_letters(
    /// The word.
    word: &str,
) -> usize {
    word.chars().count()
}

agent! {
    /// Counts letters.
    Counter {
        instruction: "Answer questions about words with your tools.",
        model: "gpt-4o-mini",
        function_tools: [count_letters],
        default: true,
    }
}

onionskin::main! {
    agents: [Counter],
    // Cards name the tool as `crate::count_letters`.
    registry: Registry::new().module("crate", |items| items.tool::<count_letters>()),
}
