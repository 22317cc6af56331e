//! Typed hooks: hooks on one tool, with its typed arguments and its typed output.
//!
//! They run inside all other hooks of the agent, next to the tool. A hook names its tool in `#[tool_hook(tool = ..)]`:
//!
//! ```
//! use onionskin::{ScriptedModel, ScriptedTurn, ToolResult, agent, tool, tool_hook};
//! use onionskin::typed::{ArgsOf, TypedNext};
//! use serde_json::json;
//!
//! /// Adds one.
//! #[tool]
//! fn add_one(x: i64) -> i64 {
//!     x + 1
//! }
//!
//! /// Adds one to 10 at most.
//! #[tool_hook(tool = add_one)]
//! async fn at_most_ten(mut args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
//!     args.x = args.x.min(10);
//!     next.run(args).await
//! }
//!
//! agent! { Clerk { instruction: "Do sums.", function_tools: [add_one], tool_hooks: [at_most_ten] } }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")]);
//! assert_eq!(Clerk::builder().model(model).run("41 + 1?").await.unwrap().text, "11");
//! # });
//! ```

pub use onionskin_tools::typed::{ArgsOf, OutputOf, RawHook, TypedNext, TypedTool};
