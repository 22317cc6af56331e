//! Lints of every kind, forbidden.
#![forbid(warnings, missing_docs, nonstandard_style, unused, unreachable_pub, unused_qualifications, clippy::pedantic)]
#![deny(single_use_lifetimes, let_underscore_drop, unused_results, elided_lifetimes_in_paths)]

use std::borrow::Cow;

use onionskin::{Tool, ToolContext, tool};

/// Greets.
#[tool(title = "Greet", annotations(read_only), timeout = 30)]
async fn greet_them(
    /// who
    name: &str,
    other: Option<&str>,
    more: &[u8],
    cow: Cow<'_, str>,
    #[arg(default = 1, range(1..=3))] times: u8,
    context: &ToolContext,
) -> String {
    format!("{name} {other:?} {more:?} {cow} {times} {}", context.tool_name())
}

/// Does nothing.
#[tool(blocking)]
fn nothing() {}

/// Fails.
#[tool]
fn fails(x: u8) -> Result<u8, String> {
    Ok(x)
}

fn main() {
    println!("{}{}{}", greet_them::NAME, nothing::NAME, fails::NAME);
    println!("{}", greet_them::default().definition().name);
    println!("{}", nothing::default().definition().name);
    println!("{}", fails::default().definition().name);
}
