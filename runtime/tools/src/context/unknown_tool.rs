//! The text for a model that called an unknown tool.

use super::ToolTable;
use onionskin_definitions::text::{first_of, nearest, short};

impl ToolTable {
    /// The text for a model that called an unknown tool.
    pub fn unknown(&self, name: &str) -> String {
        let names = || self.entries().iter().map(|entry| &*entry.wire_name);
        let mut text = format!("Unknown tool name: '{}'.", short(name, 100));
        if let Some(near) = nearest(name, names()) {
            text.push_str(&format!(" Did you mean '{near}'?"));
        }
        if self.entries().is_empty() {
            text.push_str(" There are no tools.");
        } else {
            let names = first_of(names().map(|name| format!("'{name}'")), ", ");
            text.push_str(&format!(" Available tools: {names}"));
        }
        text
    }
}
