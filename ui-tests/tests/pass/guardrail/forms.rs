//! Guardrails of all forms, under strict lints, with the dependency renamed and types called as Rust's own.
#![deny(warnings, missing_docs, nonstandard_style, unused, unreachable_pub, clippy::pedantic)]
#![deny(single_use_lifetimes, elided_lifetimes_in_paths)]
#![allow(clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "of the functions themselves")]

use onionskin as skin;
use skin::{Args, State, ToolContext, ToolOutput, ToolResult, ToolSpec, guardrail, tool};

/// Shadows.
#[derive(Debug)]
struct String;

/// Shadows.
#[derive(Debug)]
struct Option;

/// A state.
#[derive(Clone)]
struct Ledger;

#[guardrail(input, crate = skin)]
fn nothing(_args: &Args) {}

#[guardrail(crate = skin, input)]
pub(crate) async fn waits(context: &ToolContext, r#args: &mut Args) -> Result<(), &'static str> {
    std::future::ready(context.tool_name()).await;
    if args.text().is_empty() { Err("empty") } else { Ok(()) }
}

#[guardrail(input, crate = skin)]
fn at_most(#[config] most: usize, name: &str, args: Args, ledger: State<Ledger>) -> ToolResult<Args> {
    let _ = (most, name, ledger);
    Ok(args)
}

#[guardrail(output, crate = skin, type_name = Loud)]
fn loud(#[config] mark: &str, args: &Args, output: &mut ToolOutput) {
    output.push_text(format!("{mark}{}", args.text()));
}

#[guardrail(output, crate = skin)]
fn by_value(output: ToolOutput) -> ToolOutput {
    output
}

#[guardrail(output, crate = skin)]
async fn whole(result: ToolResult) -> ToolResult {
    std::future::ready(()).await;
    result
}

#[cfg(any())]
#[guardrail(output, crate = skin)]
fn absent(output: Absent) {}

fn large(args: &Args) -> bool {
    args.text().len() > 10
}

fn key(args: &Args) -> std::string::String {
    args.text().to_string()
}

/// Does nothing.
#[tool(
    crate = skin,
    input_guardrails = [nothing, waits, at_most(3)],
    output_guardrails = [Loud("!"), by_value, whole],
    approval = large,
    cache(ttl = 60, key = key, capacity = 10),
    examples = [example(r#type = 1, names = ["a"]).note("A note."), example(r#type = 2, names = [""; 0]).output(2)]
)]
fn does(r#type: u8, names: Vec<std::string::String>) -> u8 {
    r#type + u8::try_from(names.len()).unwrap_or(0)
}

/// Borrows.
#[tool(crate = skin, approval, cache, output_guardrails = [whole])]
async fn borrows(text: &str) -> &str {
    std::future::ready(()).await;
    text
}

/// Blocks.
#[tool(crate = skin, approval = false, blocking, input_guardrails = [nothing], on_error = explain)]
fn blocks(x: u8) -> u8 {
    x
}

fn explain(_: &ToolContext, error: skin::ToolError) -> ToolResult {
    Ok(ToolOutput::text(error.to_text()))
}

skin::agent! {
    Clerk {
        instruction: "Work.",
        crate: skin,
        state: Ledger,
        function_tools: [does, borrows, blocks],
    }
}

pub(crate) fn main() {
    let mut spec: ToolSpec = does::spec();
    spec.add_input_guardrails((nothing::new(), at_most::new(4)));
    spec.add_output_guardrails(by_value::new());
    assert_eq!(spec.examples().len(), 2);
    let _ = (borrows::spec(), blocks::spec(), String, Option);
    let _: fn() -> skin::declaration::AgentBuilder<Clerk> = Clerk::builder;
}
