//! Names that are not there, or are functions.
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{Args, Next, ToolResult, tool, tool_hook, toolbox};

//~ an unknown hook
/// Adds one.
#[tool(hooks = [unknown])]
fn unresolved_hook(x: i64) -> i64 { x + 1 }

//~ a function as a hook
// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

/// Adds one.
#[tool(hooks = [audit])]
fn add_one(x: i64) -> i64 { x + 1 }

//~ a function as a guardrail
// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
fn check(args: &Args) { let _ = args; }

/// Adds one.
#[tool(input_guardrails = [check])]
fn guardrail_is_a_function(x: i64) -> i64 { x + 1 }

//~ an unknown type of a parameter
/// Tells the weather.
#[tool]
fn weather(city: Ctiy) -> String { city.name }

//~ an unknown value in an example
/// Pays.
#[tool(examples = [example(cents = five)])]
fn pay(cents: u32) -> u32 { cents }

//~ a typed hook on an unknown tool
#[tool_hook(tool = subtract_one)]
async fn clamp(args: ArgsOf<subtract_one>, next: impl TypedNext<subtract_one>) -> ToolResult<OutputOf<subtract_one>> {
    next.run(args).await
}

//~ a part of a toolbox that is misspelt
struct Kb;

#[toolbox(parts = [Admin])]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

#[toolbox(part = Admins)]
impl Kb {
    /// Forgets everything.
    #[tool]
    fn clear(&self) {}
}

fn main() {}
