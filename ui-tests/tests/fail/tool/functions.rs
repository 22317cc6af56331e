//! Functions of another kind in the options of a tool.
use onionskin::{Args, ToolContext, ToolError, ToolResult, tool};

//~ `approval`: an async function
async fn is_large_later(_: &Args) -> bool { true }

/// Pays.
#[tool(approval = is_large_later)]
fn approval_async(cents: u32) -> u32 { cents }

//~ `approval`: a function of a parameter
fn large(x: i64) -> bool { x > 100 }

/// Adds one.
#[tool(approval = large)]
fn approval_of_another_kind(x: i64) -> i64 { x + 1 }

//~ `approval`: a function of typed arguments
fn is_large(cents: u32) -> bool { cents > 5 }

/// Pays.
#[tool(approval = is_large)]
fn approval_of_typed_arguments(cents: u32) -> u32 { cents }

//~ `approval`: a function that returns a number
fn size(args: &Args) -> usize { args.text().len() }

/// Adds one.
#[tool(approval = size)]
fn approval_says_a_number(x: i64) -> i64 { x + 1 }

//~ `cache(key)`: a function that returns a number
fn by_x(args: &Args) -> u64 { args.text().len() as u64 }

/// Adds one.
#[tool(cache(key = by_x))]
fn add_one(x: i64) -> i64 { x + 1 }

//~ `on_error`: a function of a text
fn explain(error: String) -> String { error }

/// Adds one.
#[tool(on_error = explain)]
fn wrong_on_error(x: i64) -> i64 { x + 1 }

//~ `on_error`: an async function whose future is not `Send`
async fn waits(_: &ToolContext, error: ToolError) -> ToolResult {
    let counter = std::rc::Rc::new(1);
    std::future::ready(()).await;
    Err(format!("{error} {counter}").into())
}

/// Adds one.
#[tool(on_error = waits)]
fn not_send(x: i64) -> i64 { x + 1 }

fn main() {}
