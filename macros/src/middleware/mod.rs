//! Functions around tool calls: what `#[tool_hook]` and `#[guardrail]` have in common. Each of them holds the function to
//! rules of its own and writes an `impl` of its own.

mod attribute;
mod call;
mod check;
mod item;
mod model;
mod options;
mod parameter;
pub(crate) mod place;

pub(crate) use attribute::expand_attribute;
pub(crate) use call::{
    Call, is_direct, on_result, return_span, returned, returned_alias, send_future, services,
};
pub(crate) use check::{each_role_once, returns_opaque};
pub(crate) use item::{Made, config, item, made, tool_alias, values_alias};
pub(crate) use model::Middleware;
pub(crate) use options::{Attribute, MiddlewareKind, Options};
pub(crate) use parameter::{Parameter, Role, wraps_no_call};
