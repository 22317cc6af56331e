//! A tool as a value: [`ToolSpec`], with its sources, its calls and its exports.

// `toolspec` is the value. `param_changes` holds the differences between the tool and its visible form; `bind` and `transform`
// change them. `call` passes through `hooks` to the tool.

mod add_stages;
mod added;
mod args;
mod bind;
mod by_hand;
mod closure;
mod code;
mod conditions;
mod direct_call;
mod error;
mod execution;
mod export;
mod fill;
mod layered_call;
mod options;
mod param;
mod param_changes;
mod services;
mod toolbox;
mod toolspec;
mod transform;
mod typed_state;
mod value;

pub use crate::context::for_each_run;
pub use crate::event::{HookEnd, HookExit};
pub use crate::policy::ToolPolicy;
pub use args::{Given, IntoArgs, given, value};
pub use bind::Binding;
pub use error::{MissingKey, SpecError};
pub use execution::Execution;
pub use onionskin_definitions::definition::FnOutput;
pub use onionskin_definitions::requirements::StateType;
pub use param::SpecParam;
pub use toolbox::ToolboxTools;
pub use toolspec::ToolSpec;
pub use transform::Transform;
pub use value::ToolValue;
