//! What a guardrail returns.
use onionskin::{Args, ToolOutput, guardrail};

//~ an error without a text
struct Refused;

#[guardrail(input)]
fn check(args: &Args) -> Result<(), Refused> { if args["x"] == 13 { Err(Refused) } else { Ok(()) } }

//~ an input guardrail that returns `bool`
#[guardrail(input)]
fn input_returns_bool(args: &Args) -> bool { args["x"] == 13 }

//~ an input guardrail that returns `bool` in a `Result`
#[guardrail(input)]
fn input_returns_bool_in_result(args: &Args) -> Result<bool, String> {
    let _ = args;
    Ok(true)
}

//~ an output guardrail that takes the output by value and refuses it
#[guardrail(output)]
fn output_refuses_by_value(output: ToolOutput) -> Result<(), String> {
    Err(output.to_text().into_owned())
}

//~ an output guardrail that returns a text
#[guardrail(output)]
fn output_returns_text(output: &ToolOutput) -> String { output.to_text().into_owned() }

fn main() {}
