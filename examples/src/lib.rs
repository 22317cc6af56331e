//! Programs that a user of onionskin would write.

pub mod show;
pub mod time_server;

use onionskin::ToolDefinition;
use onionskin::export::{self, ExportError, ExportOptions};

/// Prints tools as MCP lists them.
///
/// # Errors
/// If MCP cannot take one of them.
pub fn print_tools(tools: &[ToolDefinition]) -> Result<(), ExportError> {
    let options = ExportOptions::new();
    let list =
        tools.iter().map(|tool| export::mcp(tool, &options)).collect::<Result<serde_json::Value, _>>()?;
    println!("{list:#}");
    Ok(())
}

/// The code in the README and in the book, compiled and run as tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../README.md")]
    mod readme {}

    // A module for each chapter, which `build.rs` writes.
    include!(concat!(env!("OUT_DIR"), "/book.rs"));
}
