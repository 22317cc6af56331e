//! The words of one agent for its tools.

use std::ops::Range;

use onionskin_definitions::definition::ToolWords;
use onionskin_tools::onion::Definitions;

/// The words for tools of a declaration.
#[derive(Default)]
pub(crate) struct Worded {
    /// By the indices of the compiled tools.
    pub(in crate::agent) compiled: Vec<(usize, ToolWords)>,
    /// By the positions of the other ones.
    pub(in crate::agent) tools: Vec<(Range<usize>, ToolWords)>,
    /// Whether words were given to no tool.
    pub(in crate::agent) adds_nothing: bool,
}

impl Worded {
    pub(in crate::agent) fn is_empty(&self) -> bool {
        self.compiled.is_empty() && self.tools.is_empty()
    }

    /// The definitions of the compiled tools in these words.
    pub(in crate::agent) fn compiled(&self, definitions: Definitions) -> Definitions {
        let worded = |(index, definition)| match self
            .compiled
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, words)| words)
        {
            Some(words) => (index, Result::map(definition, |definition| words.of(definition))),
            None => (index, definition),
        };
        definitions.into_iter().map(worded).collect()
    }

    /// The words for the tool at this position.
    pub(in crate::agent) fn tool(&self, position: usize) -> Option<&ToolWords> {
        self.tools.iter().find(|(positions, _)| positions.contains(&position)).map(|(_, words)| words)
    }
}
