//! What a guardrail returns.
use onionskin::{Args, ToolOutput, guardrail};

//~ error without text
struct Refused;

#[guardrail(input)]
fn check(args: &Args) -> Result<(), Refused> { if args["x"] == 13 { Err(Refused) } else { Ok(()) } }

//~ input returns bool
#[guardrail(input)]
fn input_returns_bool(args: &Args) -> bool { args["x"] == 13 }

//~ input returns bool in result
#[guardrail(input)]
fn input_returns_bool_in_result(args: &Args) -> Result<bool, String> {
    let _ = args;
    Ok(true)
}

//~ output refuses by value
#[guardrail(output)]
fn output_refuses_by_value(output: ToolOutput) -> Result<(), String> {
    Err(output.to_text().into_owned())
}

//~ output returns text
#[guardrail(output)]
fn output_returns_text(output: &ToolOutput) -> String { output.to_text().into_owned() }

fn main() {}
