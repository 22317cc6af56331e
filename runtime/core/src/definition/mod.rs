//! Definitions of tools, decoding of arguments, and encoding of results.

mod cut;
mod declaration;
mod decode;
#[expect(clippy::module_inception, reason = "the definition of a tool is what the module is about")]
mod definition;
mod example;
mod lent;
mod limits;
mod name;
mod param;
mod plain;
#[cfg(test)]
mod properties;
mod reread;
mod result;
mod schema;
mod source;
mod veil;

pub(crate) use cut::Span;
#[doc(hidden)]
pub use declaration::ToolDeclaration;
#[doc(hidden)]
pub use decode::Slots;
pub(crate) use decode::{
    arguments_error, bring_into_types, has_other_form, refusal, refuse_lost, refused_by,
};
pub(crate) use definition::wire_name;
pub use definition::{Annotations, Effect, ToolDefinition};
#[doc(hidden)]
pub use definition::{Defined, StaticTool};
pub use example::{ExampleError, ToolExample};
#[doc(hidden)]
pub use lent::{FromText, Lent, lend};
pub use name::NameProblem;
#[doc(hidden)]
pub use param::{
    Alias, ArgLimit, NoAlias, Param, Raw, Reader, SentToCalls, ToolArg, ToolParameter, reader, reads,
};
pub(crate) use reread::Reread;
#[doc(hidden)]
pub use reread::{ReadAgain, reader_of};
pub(crate) use result::unit;
#[doc(hidden)]
pub use result::{ErrorText, Kind, Returned, ToolReturn, aborted, encode, ladder, schema as schema_of};
pub(crate) use schema::{arguments_schema, missing, output_schema};
pub use source::ToolSource;
#[doc(hidden)]
pub use veil::{Itself, Nth, Same, Veiled};
