//! A tool of all agents.

use onionskin::tool;

/// Says a text back.
#[tool]
pub fn echo(text: String) -> String {
    text
}
