//! Values of hooks and guardrails: too few, too many, and of another type.
use onionskin::guardrails::InputGuardrail;
use onionskin::{Args, ToolContext, ToolResult, guardrail, hooks, made, tool};

#[guardrail(input)]
fn at_most(#[config] most: i64, args: &mut Args) { args["x"] = most.into(); }

//~ a guardrail with a value of another type
/// Adds one.
#[tool(input_guardrails = [at_most("ten")])]
fn add_one(x: i64) -> i64 { x + 1 }

//~ a guardrail with too many values
/// Adds one.
#[tool(input_guardrails = [at_most(1, 2)])]
fn guardrail_with_too_many_values(x: i64) -> i64 { x + 1 }

//~ a guardrail without its values
/// Adds one.
#[tool(input_guardrails = [at_most])]
fn guardrail_without_values(x: i64) -> i64 { x + 1 }

//~ a hook with a value of another type
/// Adds one.
#[tool(effect = pure, hooks = [hooks::retry("three")])]
fn hook_with_a_wrong_value(x: i64) -> i64 { x + 1 }

//~ a hook without its values
/// Adds one.
#[tool(effect = pure, hooks = [hooks::retry])]
fn hook_without_values(x: i64) -> i64 { x + 1 }

//~ a guardrail by hand with too many values
struct NotIn(&'static str);

impl From<(&'static str,)> for NotIn {
    fn from((city,): (&'static str,)) -> Self {
        Self(city)
    }
}

impl InputGuardrail for NotIn {
    type Made = made::FromValues<(&'static str,)>;

    async fn check(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        if args["city"] == self.0 { Err("not there".into()) } else { Ok(()) }
    }
}

/// Tells the weather.
#[tool(input_guardrails = [NotIn("Ys", "Atlantis")])]
fn weather(city: &str) -> String { city.to_owned() }

fn main() {}
