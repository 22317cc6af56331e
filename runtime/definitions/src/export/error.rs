//! Errors of exports.

use std::cell::Cell;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::definition::{ExampleError, NameProblem};
use crate::schema::referenced;

/// The provider or protocol of an export, as a name for people.
///
/// ```
/// use onionskin::export::Provider;
///
/// const MISTRAL: Provider = Provider::new("Mistral");
/// assert_eq!((MISTRAL.name(), Provider::OPENAI.to_string().as_str()), ("Mistral", "OpenAI"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Provider(&'static str);

impl Provider {
    /// OpenAI, both of its APIs, and providers with the same protocol.
    pub const OPENAI: Self = Self("OpenAI");
    /// Anthropic.
    pub const ANTHROPIC: Self = Self("Anthropic");
    /// Gemini.
    pub const GEMINI: Self = Self("Gemini");
    /// The Model Context Protocol.
    pub const MCP: Self = Self("MCP");
    /// Independent of any provider.
    pub const PLAIN: Self = Self("the plain form");

    /// A provider with this name, for other implementations of [`ToolForm`](super::ToolForm). Errors show the
    /// name.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The reason why a tool, or the tools of a request, cannot be exported.
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
    /// The provider does not accept the tool's schema, or its strict form.
    #[error("the tool `{tool}` cannot be exported for {provider}: `{path}` {reason}; {next}")]
    #[non_exhaustive]
    Schema {
        /// The tool.
        tool: String,
        /// The provider.
        provider: Provider,
        /// The path in the arguments, as a JSON path: `$.filter.tags[*]`.
        path: String,
        /// The problem at this path.
        reason: String,
        /// Advice for the developer, which ends the error's text.
        next: &'static str,
    },
    /// A custom field has a reserved name.
    #[error(
        "`{field}` of the tool `{tool}` cannot be a custom field: the form for {provider} uses that name; choose another"
    )]
    #[non_exhaustive]
    ReservedField {
        /// The tool.
        tool: String,
        /// The provider.
        provider: Provider,
        /// The name.
        field: String,
    },
    /// A limit of the provider is exceeded.
    #[error("{subject} for {provider}: {found} {what}, but at most {most} are accepted; {next}")]
    #[non_exhaustive]
    Limit {
        /// The tool or the request, in words.
        subject: String,
        /// The provider.
        provider: Provider,
        /// The counted quantity.
        what: &'static str,
        /// The count.
        found: usize,
        /// The limit.
        most: usize,
        /// Advice for the developer, which ends the error's text.
        next: &'static str,
    },
    /// Providers reject the tool's name. Building an agent with the tool fails for the same reason
    /// (`BuildError::ToolName`).
    #[error(
        "the tool `{tool}` cannot be exported for {provider}, because providers reject its name: {problem}"
    )]
    #[non_exhaustive]
    ToolName {
        /// The tool.
        tool: String,
        /// The provider.
        provider: Provider,
        /// The mistake in the name.
        problem: NameProblem,
    },
    /// Two tools of one request have the same name, perhaps only after unsupported characters were replaced.
    #[error("the tools `{first}` and `{second}` are both called `{name}` for {provider}; rename one of them")]
    #[non_exhaustive]
    SameName {
        /// The first tool.
        first: String,
        /// The second tool.
        second: String,
        /// The name of both.
        name: String,
        /// The provider.
        provider: Provider,
    },
}

impl ExportError {
    /// The error for a request whose tools together exceed a limit of the provider, for a
    /// [`ToolForm`](super::ToolForm): it has `found` of `what`, and at most `most` are accepted. `next` is
    /// advice for the developer. [`ToolExport::exceeds`](super::ToolExport::exceeds) returns the error for
    /// one tool.
    pub fn request_exceeds(
        provider: Provider,
        what: &'static str,
        found: usize,
        most: usize,
        next: &'static str,
    ) -> Self {
        Self::Limit { subject: "the request".to_owned(), provider, what, found, most, next }
    }
}

/// The maximum number of steps of an export. A step copies or compares a part of a schema, in about a
/// microsecond.
const MOST_STEPS: usize = 700_000;

/// The state of an export: the tool, the provider, and the remaining work. The work is bounded, because the
/// schema may come from a server.
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

    /// The schema that a reference at this path leads to.
    pub(super) fn target<'s>(
        &self,
        root: &'s Value,
        reference: &str,
        path: &str,
    ) -> Result<&'s Value, ExportError> {
        referenced(root, reference).ok_or_else(|| {
            let reason = format!("refers to `{reference}`, which is not in the schema");
            self.refuse(path, reason, "put what it refers to into `$defs`")
        })
    }

    /// Spends steps at a path. Building the path counts too.
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
