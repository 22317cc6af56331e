//! Errors of creating and changing tools.

use onionskin_definitions::definition::NameProblem;
use onionskin_definitions::text::names;

/// The reason why a tool cannot be created or changed. The texts contain no values of states.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The tool has no visible parameter with this name; it may be bound or hidden.
    #[error(
        "the tool `{tool}` has no parameter `{parameter}`{}",
        known(.nearest.as_deref(), .parameters)
    )]
    #[non_exhaustive]
    NoSuchParameter {
        /// The tool.
        tool: String,
        /// The requested name.
        parameter: String,
        /// The most similar name.
        nearest: Option<String>,
        /// The available parameters.
        parameters: Vec<String>,
    },
    /// The parameter to unbind is not bound.
    #[error("the parameter `{parameter}` of the tool `{tool}` is not bound; its bound parameters are: {}", names(.bound))]
    #[non_exhaustive]
    NotBound {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The bound parameters.
        bound: Vec<String>,
    },
    /// Two parameters would have the same name.
    #[error(
        "the tool `{tool}` would have two parameters called `{name}`; give one of them another name (a bound parameter keeps its \
         name)"
    )]
    #[non_exhaustive]
    NameTaken {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
    },
    /// A hidden value or a default does not fit its parameter.
    #[error(
        "the value for the parameter `{parameter}` of the tool `{tool}` does not fit: expected {expected}"
    )]
    #[non_exhaustive]
    Value {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The expected value.
        expected: String,
    },
    /// The key of a bound parameter is not a valid key of a state.
    #[error("the parameter `{parameter}` of the tool `{tool}` cannot be bound to the key `{key}`: {problem}")]
    #[non_exhaustive]
    Key {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The key.
        key: String,
        /// The mistake in the key, and what to write.
        problem: String,
    },
    /// The default of a bound parameter cannot be written into the state, because it would replace another
    /// value.
    #[error(
        "the default of the parameter `{parameter}` of the tool `{tool}` cannot be written to the state's key `{key}`: {} is \
         {by}, which would be lost; bind the parameter to another key, or without a default",
        place(.taken)
    )]
    #[non_exhaustive]
    KeyTaken {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The dotted key of the binding.
        key: String,
        /// The dotted key of the other value; empty if it is the whole state.
        taken: String,
        /// The kind of the other value: `a text`, `a secret`.
        by: &'static str,
    },
    /// Providers reject the tool's new name.
    #[error("the tool `{tool}` cannot be called `{name}`: {problem}")]
    #[non_exhaustive]
    ToolName {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
        /// The mistake in the name.
        problem: NameProblem,
    },
    /// A parameter cannot have the new name.
    #[error("the parameter `{parameter}` of the tool `{tool}` cannot be called `{name}`: {problem}")]
    #[non_exhaustive]
    ParameterName {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The name.
        name: String,
        /// The mistake in the name.
        problem: NameProblem,
    },
    /// A JSON value is not a description of an MCP tool.
    #[error("this is not the description of an MCP tool: {reason}")]
    #[non_exhaustive]
    Description {
        /// The reason.
        reason: String,
    },
}

impl SpecError {
    /// The error for a JSON value that is not a description of an MCP tool.
    pub fn description(reason: impl Into<String>) -> Self {
        Self::Description { reason: reason.into() }
    }
}

fn known(nearest: Option<&str>, parameters: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => format!("; it has: {}", names(parameters)),
    }
}

fn place(key: &str) -> String {
    if key.is_empty() { "the state itself".to_owned() } else { format!("`{key}`") }
}

/// A bound parameter has no value: the state has no value under its key, and the binding has no default.
///
/// It is the source of the tool error that ends the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` did not run: its parameter `{parameter}` is bound to the state's key `{key}`, which has no value; set the key, or \
     bind the parameter with a default"
)]
#[non_exhaustive]
pub struct MissingKey {
    /// The tool.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
    /// The dotted key.
    pub key: String,
}
