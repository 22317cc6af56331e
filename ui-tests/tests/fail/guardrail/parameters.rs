//! What a guardrail takes.
use std::rc::Rc;

use onionskin::{Args, Provided, ToolOutput, guardrail};

//~ a value without `#[config]`
#[guardrail(input)]
fn check(args: &Args, most: usize) -> Result<(), String> {
    if args.text().len() > most { Err("too long".to_owned()) } else { Ok(()) }
}

//~ a type that cannot be injected
struct Limits(usize);

#[guardrail(input)]
fn unknown_parameter(args: &Args, limits: &Limits) -> Result<(), String> {
    if args.text().len() > limits.0 { Err("too long".to_owned()) } else { Ok(()) }
}

//~ an output guardrail that changes arguments
#[guardrail(output)]
fn output_changes_arguments(args: &mut Args, output: &ToolOutput) {
    args["x"] = output.to_text().into_owned().into();
}

//~ a service that is not `Send`
struct Words(Rc<str>);

#[guardrail(input)]
fn service_is_not_send(args: &Args, words: Provided<Words>) -> Result<(), String> {
    if args.text().contains(&*words.0) { Err("no".to_owned()) } else { Ok(()) }
}

fn main() {}
