//! The wordings of tools in one agent.

use std::ops::Range;

use onionskin_definitions::definition::ToolWords;
use onionskin_tools::onion::Definitions;

/// The wordings of the tools in a declaration.
#[derive(Default)]
pub(crate) struct Worded {
    /// The wordings of compiled tools, by index.
    pub(in crate::agent) compiled: Vec<(usize, ToolWords)>,
    /// The wordings of the other tools, by position.
    pub(in crate::agent) tools: Vec<(Range<usize>, ToolWords)>,
    /// Whether a wording was set without a tool.
    pub(in crate::agent) adds_nothing: bool,
}

impl Worded {
    pub(in crate::agent) fn is_empty(&self) -> bool {
        self.compiled.is_empty() && self.tools.is_empty()
    }

    /// The definitions of the compiled tools with these wordings.
    pub(in crate::agent) fn compiled(&self, definitions: Definitions) -> Definitions {
        let worded = |(index, definition)| match self
            .compiled
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, words)| words)
        {
            Some(words) => (index, Result::map(definition, |definition| words.apply_to(definition))),
            None => (index, definition),
        };
        definitions.into_iter().map(worded).collect()
    }

    /// The wording of the tool at this position.
    pub(in crate::agent) fn tool(&self, position: usize) -> Option<&ToolWords> {
        self.tools.iter().find(|(positions, _)| positions.contains(&position)).map(|(_, words)| words)
    }
}
