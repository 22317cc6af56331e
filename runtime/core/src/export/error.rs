//! What keeps a tool from being exported.

use std::cell::Cell;
use std::fmt;

use serde::Serialize;

use crate::definition::ExampleError;

/// Whose form an export has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI, both of its forms, and those who speak its protocol.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Gemini.
    Gemini,
    /// The Model Context Protocol.
    Mcp,
    /// Nobody's in particular.
    Plain,
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Mcp => "MCP",
            Self::Plain => "the plain form",
        })
    }
}

/// What keeps a tool, or the tools of a request, from being exported.
///
/// ```
/// use onionskin::ToolDefinition;
/// use onionskin::export::{self, ExportError, ExportOptions};
/// use serde_json::json;
///
/// let counts = json!({"type": "object", "additionalProperties": {"type": "integer"}});
/// let schema = json!({"type": "object", "properties": {"counts": counts}, "required": ["counts"]});
/// let tool = ToolDefinition::new("tally", "Adds up.").with_input_schema(schema);
/// let error = export::openai_chat(&tool, &ExportOptions::new().strict()).unwrap_err();
/// assert!(matches!(&error, ExportError::Schema { path, .. } if path == "$.counts"));
/// assert_eq!(
///     error.to_string(),
///     "the tool `tally` cannot be exported for OpenAI: `$.counts` is a map with keys of any name; use a list of \
///      objects with a key and a value, or export without `strict`",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// An example does not fit the tool.
    #[error(transparent)]
    Example(#[from] ExampleError),
    /// The provider cannot take the tool's schema, strictly or at all.
    #[error("the tool `{tool}` cannot be exported for {provider}: `{path}` {reason}; {next}")]
    Schema {
        /// The tool.
        tool: String,
        /// Whose form it was.
        provider: Provider,
        /// The place among the arguments, as a JSON path: `$.filter.tags[*]`.
        path: String,
        /// What is wrong there.
        reason: String,
        /// What to do.
        next: &'static str,
    },
    /// A custom field has a name that the form itself uses.
    #[error(
        "`{field}` of the tool `{tool}` cannot be a custom field: the form for {provider} uses that name; choose another"
    )]
    ReservedField {
        /// The tool.
        tool: String,
        /// Whose form it was.
        provider: Provider,
        /// The name.
        field: String,
    },
    /// The provider takes less than this.
    #[error("{subject} for {provider}: {found} {what}, and at most {most} are taken; {next}")]
    Limit {
        /// The tool in words, or the request.
        subject: String,
        /// Whose limit it is.
        provider: Provider,
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
        /// What to do.
        next: &'static str,
    },
    /// Two tools of one request have one name, perhaps only after characters were replaced that the provider
    /// does not take.
    #[error("the tools `{first}` and `{second}` are both called `{name}` for {provider}; rename one of them")]
    SameName {
        /// The one.
        first: String,
        /// The other.
        second: String,
        /// The name that both got.
        name: String,
        /// Whose form it was.
        provider: Provider,
    },
}

/// An export may do so much work. A step is a part of a schema that is copied or compared, about a microsecond.
const MOST_STEPS: usize = 700_000;

/// Where an export is, which tool and for whom, and how much work it may still do: the schema may be a server's.
pub(super) struct Site<'a> {
    pub(super) tool: &'a str,
    pub(super) provider: Provider,
    pub(super) lossy: bool,
    left: Cell<usize>,
}

impl<'a> Site<'a> {
    pub(super) fn new(tool: &'a str, provider: Provider, lossy: bool) -> Self {
        Self { tool, provider, lossy, left: Cell::new(MOST_STEPS) }
    }

    pub(super) fn refuse(&self, path: &str, reason: impl Into<String>, next: &'static str) -> ExportError {
        ExportError::Schema {
            tool: self.tool.to_owned(),
            provider: self.provider,
            path: path.to_owned(),
            reason: reason.into(),
            next,
        }
    }

    /// Takes so many steps at a place, whose path is written as well.
    pub(super) fn spend(&self, steps: usize, path: &str) -> Result<(), ExportError> {
        let steps = steps.saturating_add(1 + path.len() / 64);
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or_default());
        match left {
            Some(_) => Ok(()),
            None => Err(self.refuse(path, "is too large or too deeply nested", "describe less")),
        }
    }
}
