//! Exports of a tool for model providers, MCP, prompts and scripts. All are pure functions of a
//! [`ToolDefinition`].
//!
//! | | |
//! |---|---|
//! | [`openai_chat`] | `{"type": "function", "function": {..}}` |
//! | [`openai_responses`] | `{"type": "function", "name": ..}`, flat |
//! | [`anthropic`] | `{"name", "description", "input_schema"}` |
//! | [`gemini`] | `parameters` in Gemini's subset of OpenAPI |
//! | [`gemini_json_schema`] | `parametersJsonSchema`, which takes any schema |
//! | [`to_jsonschema`] | `{"type", "name", "description", "parameters", "strict"}`, flat |
//! | [`mcp`], [`mcp_with_meta`] | MCP's `Tool` |
//! | [`to_prompt`], [`docstring`], [`signature`] | text |
//! | [`request`] | all tools of one request, names and numbers checked against the provider's limits |
//! | [`ToolForm`] | a form of your own, for another provider |
//!
//! ```
//! use onionskin::export::{self, ExportOptions};
//! use onionskin::{Tool, tool};
//! use serde_json::json;
//!
//! /// Searches the database.
//! #[tool]
//! fn search(
//!     /// What to look for.
//!     query: String,
//!     /// How many records to give.
//!     #[arg(default = 10)]
//!     limit: u8,
//! ) -> Vec<String> {
//!     vec![query; usize::from(limit)]
//! }
//!
//! let tool = search::default();
//! assert_eq!(export::signature(tool.definition()), "search(query, limit=10)");
//!
//! let strict = ExportOptions::new().strict();
//! let exported = export::openai_chat(tool.definition(), &strict).unwrap();
//! assert_eq!(exported["function"]["parameters"]["properties"]["limit"]["type"], json!(["integer", "null"]));
//! let exported = export::anthropic(tool.definition(), &strict).unwrap();
//! assert_eq!(exported["input_schema"]["required"], json!(["query"]));
//! ```
//!
//! # Names
//!
//! A name that providers reject is an [`ExportError::ToolName`], just as it fails the build of an agent
//! (`BuildError::ToolName`). A dot becomes `_`, as in an agent. A server chooses the names of its tools
//! (`ToolSpec::from_server`), so their other characters become `_` too, and a long name ends with a hash. The
//! forms of MCP and prompts have unchanged names.
//!
//! # Strict
//!
//! [`ExportOptions::strict`] rewrites a schema into the provider's strict dialect. The provider then enforces
//! the schema while the model writes:
//!
//! - **OpenAI**: every property is required, an optional one also accepts `null`, every object is closed.
//! - **Anthropic**: an optional property is not in `required` (a request may have few unions), every object
//!   is closed, nothing is recursive.
//! - **Gemini**: tools have no strict mark; the export always keeps to its subset of OpenAPI.
//!
//! Keywords that a dialect lacks and a text can express (a default, a limit, a format) move into the
//! description, in parentheses. The tool itself still checks them. A `null` for an optional argument counts
//! as a missing argument.
//!
//! `#[tool(strict)]` makes the compiler check a tool against OpenAI's dialect. Such a tool is exported
//! strictly unless the options say otherwise.
//!
//! A schema that a dialect cannot express is an [`ExportError`] with the tool, the path and what to write
//! instead: an open map, a value of any type, a tuple of different types, a recursive type where they are not
//! allowed. [`ExportOptions::lossy`] widens or narrows exactly these instead:
//!
//! - a tuple of different types becomes a list of any of them,
//! - an object with known properties that is open for others becomes closed,
//! - conditions (`not`, `if`, `dependentRequired` ..) are left to the tool,
//! - a union at the root becomes one object with the properties of all its options; the tool checks the
//!   choice.

mod anthropic;
mod count;
mod decoded;
mod dialect;
mod error;
mod gemini;
mod inline;
mod keywords;
mod mcp;
mod notes;
mod null;
mod openai;
mod options;
mod plain;
mod prompt;
mod recursive;
mod request;
mod root;
mod strict_rewrite;
#[cfg(test)]
mod tests;
mod tool_export;
mod unions;

pub use anthropic::anthropic;
pub use dialect::Dialect;
pub use error::{ExportError, Provider};
pub use gemini::{gemini, gemini_json_schema};
pub use mcp::{mcp, mcp_with_meta};
pub use openai::{openai_chat, openai_responses};
pub use options::ExportOptions;
pub use plain::{strict_schema, to_jsonschema};
pub use prompt::{docstring, example_arguments, signature, signature_with, to_prompt};

pub use request::{Form, ToolForm, plain_schema, request, strict_schemas};
pub use tool_export::ToolExport;

#[expect(unused_imports, reason = "the module's documentation links to it")]
use crate::definition::ToolDefinition;
