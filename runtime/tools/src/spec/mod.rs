//! Tools as values: [`ToolSpec`], with its sources, calls and exports.

// `toolspec` is the value. `param_changes` contains the differences between the tool and its visible form,
// which `bind` and `transform` change. `layered_call` passes a call through the hooks to the tool.

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
pub use args::{CallArgs, IntoArgs, call_args, value};
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
