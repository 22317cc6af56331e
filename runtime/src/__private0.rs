//! What the macros write calls on.

pub use std::borrow::{Cow, ToOwned};
pub use std::string::String;
pub use std::sync::{Arc, OnceLock};
pub use std::time::Duration;
pub use std::vec::Vec;

pub use serde_json::{Value, to_value};
pub use tokio::task::spawn_blocking;

pub use crate::agent::{ChildLink, Onion};
pub use crate::args::Args;
pub use crate::context::{Inject, InjectName, State, ToolContext};
pub use crate::error::{Exit, ToolError, ToolResult};
pub use crate::onion::{
    AfterOwned, AfterReturn, AfterTarget, AroundReturn, BeforeReturn, Call, Compiled, Configure, Core,
    EndRing, Hook, InnerNext, Next, Ring, RuntimeHooks, Seam, TypedHook, TypedLayer, TypedNext, TypedTool,
    around, bulkhead, call_dynamic, call_tool,
};
pub use crate::tool::{
    Annotations, Body, Effect, FitsState, Kind, Layer, Limit, Param, Reader, Slots, StaticTool, Tool,
    ToolArg, ToolDefinition, ToolReturn, Within, ladder, offload, optional, reader, recover, schema_of,
};
