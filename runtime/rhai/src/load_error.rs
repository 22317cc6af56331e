//! Why a script cannot be a tool.

use onionskin_core::text::names;

/// The reason why a script cannot be a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// A script has a mistake.
    #[error("{line}:{column}: {reason}")]
    #[non_exhaustive]
    Invalid {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1. It is 1 if only the line is known.
        column: usize,
        /// The mistake.
        reason: String,
    },
    /// The function that is the tool is not clear: the script has several and none was chosen, or it lacks the chosen one.
    #[error(
        "{}; it has: {}",
        match .wanted {
            Some(name) => format!("the script has no function `{name}` that is not private"),
            None => "a script has one function that is not private, or `func_name` says which one is the tool".to_owned(),
        },
        names(.functions)
    )]
    #[non_exhaustive]
    Function {
        /// The chosen function.
        wanted: Option<String>,
        /// The functions of the script that are not `private`.
        functions: Vec<String>,
    },
}
