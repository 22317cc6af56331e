//! A tool as a value: [`ToolSpec`], with its sources, its calls and its exports.
//!
//! | from | |
//! |---|---|
//! | a `#[tool]` function | `add_one::spec()` |
//! | any [`Tool`](crate::Tool), any [`DynTool`](crate::DynTool) | [`ToolSpec::new`], [`ToolSpec::from_dyn`] |
//! | the methods of a `#[toolbox]` | `kb.tools()`, [`ToolSpec::from_toolbox`] |
//! | a closure with a struct of arguments | [`ToolSpec::from_fn`] |
//! | a tool of an MCP server | `ToolSpec::from_mcp`, `mcp::McpServer` (feature `mcp`) |
//! | an agent | [`AgentTool::spec`](crate::AgentTool::spec) |
//! | a script | `rhai::from_code` (feature `rhai`) |

#[doc(hidden)]
pub use onionskin_tools::policy::CachedResults;
pub use onionskin_tools::spec::{
    Binding, CallArgs, Execution, FnOutput, HookEnd, HookExit, IntoArgs, MissingKey, SpecError, SpecParam,
    StateType, ToolPolicy, ToolSpec, ToolValue, ToolboxTools, Transform, call_args, for_each_run, value,
};
