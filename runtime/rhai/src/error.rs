//! Why a script is no tool.

use onionskin_core::text::names;

/// Why a script is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// A script is wrong.
    #[error("{line}:{column}: {reason}")]
    Invalid {
        /// Counts from 1.
        line: usize,
        /// Counts from 1; 1 where only the line is known.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A script has no function that is the tool: it has several and none was chosen, or not the one that was.
    #[error(
        "{}; it has: {}",
        match .wanted {
            Some(name) => format!("the script has no function `{name}` that is not private"),
            None => "a script has one function that is not private, or `func_name` says which one is the tool".to_owned(),
        },
        names(.functions)
    )]
    Function {
        /// The function that was asked for.
        wanted: Option<String>,
        /// Those that there are.
        functions: Vec<String>,
    },
}
