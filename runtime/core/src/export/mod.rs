//! A tool in the forms of others: model providers, MCP, a prompt, a script. Pure functions of a [`ToolDefinition`].
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
//! # Strict
//!
//! With [`ExportOptions::strict`] a schema is rewritten into the provider's own strict dialect, so that the provider
//! holds the model to it while it writes:
//!
//! - **OpenAI**: every property is required, an optional one takes `null` as well, every object is closed.
//! - **Anthropic**: an optional property is left out of `required` (a request has room for few unions), every
//!   object is closed, nothing is recursive.
//! - **Gemini**: has no such mark on a tool; its subset of OpenAPI is kept to either way.
//!
//! Whatever a dialect cannot say but a description can (a default, a limit, a format) moves into the description in
//! parentheses; the tool itself still refuses a value beyond it. A `null` that a model gives for an optional
//! argument reads as an argument that is missing.
//!
//! `#[tool(strict)]` has the compiler hold a tool to OpenAI's dialect; such a tool is exported strictly where the options say
//! nothing else.
//!
//! What a dialect cannot take at all is an [`ExportError`] that names the tool, the place and the next step: an open
//! map, a value of any type, a tuple of different types, a recursive type where there are none. With
//! [`ExportOptions::lossy`] the following are widened or narrowed instead, and nothing else:
//!
//! - a tuple of different types becomes a list of any of them,
//! - an object with known properties that is open for others is closed,
//! - conditions (`not`, `if`, `dependentRequired` .., and unions at the root) are left to the tool.

mod anthropic;
mod count;
mod error;
mod gemini;
mod inline;
mod keywords;
mod mcp;
mod openai;
mod options;
mod plain;
mod prompt;
mod recursive;
mod request;
mod strict;
#[cfg(test)]
mod tests;

pub use anthropic::anthropic;
pub use error::{ExportError, Provider};
pub use gemini::{gemini, gemini_json_schema};
pub use mcp::{mcp, mcp_with_meta};
pub use openai::{openai_chat, openai_responses};
pub use options::ExportOptions;
pub use plain::{strict_schema, to_jsonschema};
pub use prompt::{docstring, example_arguments, signature, signature_with, to_prompt};

pub use request::{Form, request, strict_schemas};

#[expect(unused_imports, reason = "the module's documentation links to it")]
use crate::definition::ToolDefinition;
