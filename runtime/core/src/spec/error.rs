//! Why a tool cannot be made into, or changed into, what was asked for.

use crate::definition::NameProblem;
use crate::text::names;

/// Why a tool cannot be made into, or changed into, what was asked for. No text holds a value of a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The tool has no parameter of this name that could be changed: none at all, or it is bound or hidden.
    #[error(
        "the tool `{tool}` has no parameter `{parameter}`{}",
        known(.nearest.as_deref(), .parameters)
    )]
    NoSuchParameter {
        /// The tool.
        tool: String,
        /// What was asked for.
        parameter: String,
        /// The one that was most likely meant.
        nearest: Option<String>,
        /// Those that there are.
        parameters: Vec<String>,
    },
    /// A parameter cannot be unbound, because it is not bound.
    #[error("the parameter `{parameter}` of the tool `{tool}` is not bound; bound are: {}", names(.bound))]
    NotBound {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The parameters that are bound.
        bound: Vec<String>,
    },
    /// Two parameters would have one name.
    #[error(
        "the tool `{tool}` cannot call two parameters `{name}`; give one of them another name (bound ones keep theirs)"
    )]
    NameTaken {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
    },
    /// A value that stands in for a parameter does not fit it.
    #[error(
        "the value for the parameter `{parameter}` of the tool `{tool}` does not fit it: expected {expected}"
    )]
    Value {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// What would fit.
        expected: String,
    },
    /// The default of a bound parameter cannot be written into the state: another value stands in its way.
    #[error(
        "the default of the parameter `{parameter}` of the tool `{tool}` cannot be written under the state's key `{key}`: {} is \
         {by}, which would be lost; bind the parameter to another key, or without a default",
        place(.taken)
    )]
    KeyTaken {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The dotted key that it was to be bound to.
        key: String,
        /// The dotted key of what stands in the way; empty if it is the whole state.
        taken: String,
        /// What that is, without its value: `a text`, `a secret`.
        by: &'static str,
    },
    /// Providers refuse the name that the tool would get.
    #[error("the tool `{tool}` cannot be called `{name}`: {problem}")]
    ToolName {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// A parameter cannot get a name.
    #[error("the parameter `{parameter}` of the tool `{tool}` cannot be called `{name}`: {problem}")]
    ParameterName {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// A description is not one of an MCP tool.
    #[error("this is no description of an MCP tool: {reason}")]
    Description {
        /// Why.
        reason: String,
    },
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

/// A bound parameter has no value: the state has nothing under its key, and it was bound without a default.
///
/// It is the source of the tool error that a call ends with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` did not run: its parameter `{parameter}` is bound to the state's key `{key}`, where nothing is; set it, or \
     bind it with a default"
)]
pub struct MissingKey {
    /// The tool.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
    /// The dotted key.
    pub key: String,
}
