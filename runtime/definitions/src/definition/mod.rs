//! Definitions of tools: the model's view of a tool ([`ToolDefinition`]), its options and its examples.

mod behaviour;
mod contradictions;
mod declaration;
mod decode;
#[expect(clippy::module_inception, reason = "the definition of a tool is what the module is about")]
mod definition;
mod example;
mod fit;
mod from_types;
#[doc(hidden)]
pub mod ladder;
mod lent;
mod name;
mod own_form;
mod param;
mod parse;
mod per_run;
#[cfg(test)]
mod property_tests;
mod read_args;
mod refusal;
mod reread;
mod result;
mod result_types;
mod run_change;
mod scan;
mod schema;
mod source;
mod static_tool;
mod ui_tool;
mod words;

pub use behaviour::{Annotations, Asks, Effect, Layers};
pub use declaration::ToolDeclaration;
pub use decode::{Slots, Values};
pub use definition::{ToolDefinition, wire_name};
pub use example::{ExampleError, ToolExample};
pub use fit::{bring_into_types, fits};
pub use from_types::FnOutput;
pub use lent::{FromText, Lent, lend};
pub use name::NameProblem;
pub use param::missing;
pub use param::{Alias, ArgLimit, NoAlias, Param, Raw, SentToCalls, ToolArg, ToolParameter, reads};
pub use refusal::{arguments_error, refuse_lost, refused_by};
pub use refusal::{check_any_args, check_args};
pub use reread::{ReadAgain, Reading};
pub use result::Encoded;
pub use result::{Failed, Returned, encode, failed, schema as schema_of};
pub use result_types::{ErrorText, Kind, ShownToModel, ToolReturn};
pub use scan::read;
pub use schema::{ObjectSchema, arguments_schema, object_schema, type_schema};
pub use source::ServerKind;
pub use source::ToolSource;
pub use static_tool::{Defined, StaticTool};
pub use ui_tool::UiMode;
pub use ui_tool::UiTool;
pub use words::ToolWords;
