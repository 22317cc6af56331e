//! The macros of onionskin. Use them through the `onionskin` crate, which documents them with examples.

#![forbid(unsafe_code)]

mod agent;
mod choice;
mod diag;
mod docs;
#[cfg(test)]
mod golden;
mod guardrail;
mod hook;
mod injected;
mod item;
mod keys;
mod listed;
mod middleware;
mod number;
mod option;
mod param;
mod paths;
mod strict;
mod suggest;
#[cfg(test)]
mod tests;
mod tool;
mod toolbox;
mod written;

use proc_macro::TokenStream;

/// Makes a function a tool that a language model can call. `onionskin::tool` shows it with examples.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).into()
}

/// Makes methods of an `impl` block tools that share their object. `onionskin::toolbox` shows it with examples.
#[proc_macro_attribute]
pub fn toolbox(options: TokenStream, item: TokenStream) -> TokenStream {
    toolbox::expand(options.into(), item.into()).into()
}

/// Makes a type one that strict tools can take. `onionskin::Strict` shows it with examples.
#[proc_macro_derive(Strict, attributes(strict))]
pub fn strict(item: TokenStream) -> TokenStream {
    strict::expand(item.into()).into()
}

/// Makes a function middleware around tool calls. `onionskin::tool_hook` shows it with examples.
#[proc_macro_attribute]
pub fn tool_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(options.into(), item.into()).into()
}

/// Makes a function a guardrail of tools. `onionskin::guardrail` shows it with examples.
#[proc_macro_attribute]
pub fn guardrail(options: TokenStream, item: TokenStream) -> TokenStream {
    guardrail::attribute(options.into(), item.into()).into()
}

/// Declares agents. `onionskin::agent` shows it with examples.
#[proc_macro]
pub fn agent(declaration: TokenStream) -> TokenStream {
    agent::expand(declaration.into()).into()
}
