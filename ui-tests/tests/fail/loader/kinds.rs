//! Items of one kind that are registered as another.
use onionskin::loader::Registry;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    Args, Next, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, run_hook, tool, tool_hook,
};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

//~ a hook as a tool
fn hook_as_a_tool() { let _ = Registry::new().file("cards/items.rs", |items| items.tool::<audit>()); }

//~ a hook with values as a tool
#[tool_hook]
async fn cap(#[config] most: usize, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = most;
    next.run(args).await
}

fn hook_with_values_as_a_tool() { let _ = Registry::new().file("cards/items.rs", |items| items.tool::<cap>()); }

//~ a run hook as a tool hook
#[run_hook(pre)]
fn check(input: &str) -> Result<(), String> {
    if input.is_empty() { Err("empty".to_owned()) } else { Ok(()) }
}

fn run_hook_as_a_tool_hook() { let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<check>()); }

//~ a tool as a tool hook
fn tool_as_a_tool_hook() { let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<add_one>()); }

//~ a tool as a toolbox
fn tool_as_a_toolbox() { let _ = Registry::new().file("cards/items.rs", |items| items.toolbox::<add_one>()); }

//~ a tool as an agent
fn tool_as_an_agent() { let _ = Registry::new().file("cards/items.rs", |items| items.agent::<add_one>()); }

//~ a tool hook as a message hook
fn tool_hook_as_a_message_hook() {
    let _ = Registry::new().file("cards/items.rs", |items| items.message_hook::<audit>());
}

//~ a tool hook as a run hook
fn tool_hook_as_a_run_hook() { let _ = Registry::new().file("cards/items.rs", |items| items.run_hook::<audit>()); }

//~ a tool hook as a turn hook
fn tool_hook_as_a_turn_hook() { let _ = Registry::new().file("cards/items.rs", |items| items.turn_hook::<audit>()); }

//~ a function without `#[tool]`
pub fn plain(x: i64) -> i64 { x + 1 }

fn plain_function_as_a_tool() { let _ = Registry::new().file("cards/items.rs", |items| items.tool::<plain>()); }

//~ a typed hook
#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

fn typed_hook() { let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<clamp>()); }

//~ a tool without `Default`
struct Add(ToolDefinition);

impl Tool for Add {
    const NAME: &'static str = "add";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }
}

fn tool_without_default() { let _ = Registry::new().file("cards/items.rs", |items| items.tool::<Add>()); }

fn main() {}
