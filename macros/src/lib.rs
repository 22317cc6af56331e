//! The macros of onionskin. Use them through the `onionskin` crate, which documents them with examples.

#![forbid(unsafe_code)]

mod agent;
mod agent_hooks;
mod card;
mod choice;
mod derive;
mod diag;
mod docs;
mod editor;
#[cfg(test)]
#[path = "../../runtime/cards/tests/folder/mod.rs"]
mod folder;
#[cfg(test)]
mod golden;
mod guardrail;
mod hook;
mod injected;
mod item;
mod keys;
mod listed;
#[cfg(any(test, feature = "mcp-snapshot"))]
mod lock_file;
mod middleware;
#[cfg(test)]
mod mutations;
mod number;
mod option;
#[cfg(any(test, feature = "cards", feature = "mcp-snapshot"))]
mod package;
#[cfg(test)]
#[path = "../../runtime/cards/tests/pages/mod.rs"]
mod pages;
mod param;
mod paths;
mod policy_entry;
mod program;
mod strict;
mod suggest;
#[cfg(test)]
mod tests;
mod tool;
mod toolbox;
mod visit;
mod warnings;
mod workflow;

use proc_macro::TokenStream;

use editor::Attribute;

/// Makes a function a tool that a language model can call. `onionskin::tool` shows it with examples.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::Tool, tool::expand, options, item)
}

/// Makes a function a tool that shows a component to a person. `onionskin::ui::ui_tool` shows it with examples.
#[proc_macro_attribute]
pub fn ui_tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand_ui(options.into(), item.into()).into()
}

/// Makes methods of an `impl` block tools that share their object. `onionskin::toolbox` shows it with examples.
#[proc_macro_attribute]
pub fn toolbox(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::Toolbox, toolbox::expand, options, item)
}

/// Makes a type one that strict tools can take. `onionskin::Strict` shows it with examples.
#[proc_macro_derive(Strict, attributes(strict))]
pub fn strict(item: TokenStream) -> TokenStream {
    strict::expand(item.into()).into()
}

/// Implements the trait that lists a value's secrets. `onionskin::secret::VisitSecrets` shows it with examples.
#[proc_macro_derive(VisitSecrets, attributes(visit_secrets))]
pub fn visit_secrets(item: TokenStream) -> TokenStream {
    visit::expand(item.into()).into()
}

/// Makes a function middleware around tool calls. `onionskin::tool_hook` shows it with examples.
#[proc_macro_attribute]
pub fn tool_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::ToolHook, hook::expand, options, item)
}

/// Makes a function one that runs before or after each run of an agent. `onionskin::run_hook` shows it with examples.
#[proc_macro_attribute]
pub fn run_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::RunHook, agent_hooks::run_hook, options, item)
}

/// Makes a function one that runs at a place of each turn of an agent. `onionskin::turn_hook` shows it with examples.
#[proc_macro_attribute]
pub fn turn_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::TurnHook, agent_hooks::turn_hook, options, item)
}

/// Makes a function one that runs at a place on the way of an agent's messages. `onionskin::message_hooks::message_hook` shows it with
/// examples.
#[proc_macro_attribute]
pub fn message_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::MessageHook, agent_hooks::message_hook, options, item)
}

/// Makes a function a guardrail of tools. `onionskin::guardrail` shows it with examples.
#[proc_macro_attribute]
pub fn guardrail(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(Attribute::Guardrail, guardrail::attribute, options, item)
}

/// Declares agents. `onionskin::agent` shows it with examples.
#[proc_macro]
pub fn agent(declaration: TokenStream) -> TokenStream {
    let declaration = declaration.into();
    if card::names_cards(&declaration) {
        return card::expand(declaration).into();
    }
    let for_editor = editor::asks().then(|| declaration.clone());
    let plain = agent::expand(declaration);
    match for_editor {
        Some(declaration) => editor::agent(declaration, plain).into(),
        None => plain.into(),
    }
}

/// Makes the `main` of a program with a command line. `onionskin::main` shows it with examples, and calls it with its own crate as the first
/// token.
#[proc_macro]
pub fn main(program: TokenStream) -> TokenStream {
    program::expand(program.into()).into()
}

/// Declares the agents of a workflow folder. `onionskin::workflow` shows it with examples.
#[proc_macro]
pub fn workflow(invocation: TokenStream) -> TokenStream {
    workflow::expand(invocation.into()).into()
}

/// Expands an attribute.
fn attribute(
    which: Attribute,
    plain: fn(proc_macro2::TokenStream, proc_macro2::TokenStream) -> proc_macro2::TokenStream,
    options: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let for_editor = editor::asks().then(|| (options.clone().into(), item.clone().into()));
    let plain = plain(options.into(), item.into());
    match for_editor {
        Some((options, item)) => which.expand(options, item, &plain).into(),
        None => plain.into(),
    }
}
