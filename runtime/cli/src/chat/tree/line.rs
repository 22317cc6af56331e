//! One line of the tree: its parts, their styles, and what a terminal gets.

use crate::text;

/// How a part of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Style {
    Plain,
    Faint,
    Good,
    Bad,
    Strong,
    Emphasis,
    Code,
}

impl Style {
    /// The number that begins it at a terminal.
    pub(in crate::chat) fn code(self) -> Option<u8> {
        match self {
            Self::Plain => None,
            Self::Strong => Some(1),
            Self::Faint => Some(2),
            Self::Emphasis => Some(3),
            Self::Bad => Some(31),
            Self::Good => Some(32),
            Self::Code => Some(36),
        }
    }
}

/// A line as parts, each in its style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::chat) struct Line(pub(in crate::chat) Vec<(Style, String)>);

impl Line {
    pub(super) fn with(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push((style, text));
        }
        self
    }

    /// The line in at most `columns`. A mark shows where it is cut.
    pub(in crate::chat) fn cut(mut self, columns: usize) -> Self {
        let whole: usize = self.0.iter().map(|(_, text)| text::width(text)).sum();
        if whole <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(1);
        for (_, part) in &mut self.0 {
            let shown = text::beginning(part, left).len();
            left = if shown < part.len() { 0 } else { left.saturating_sub(text::width(part)) };
            part.truncate(shown);
        }
        if columns > 0 {
            self.0.push((Style::Faint, "…".to_owned()));
        }
        self.0.retain(|(_, part)| !part.is_empty());
        self
    }

    /// The line for a terminal; without escape codes if `has_colours` is false.
    pub(in crate::chat) fn to_ansi(&self, has_colours: bool) -> String {
        let part = |(style, text): &(Style, String)| match style.code().filter(|_| has_colours) {
            Some(code) => format!("\x1b[{code}m{text}\x1b[0m"),
            None => text.clone(),
        };
        self.0.iter().map(part).collect()
    }

    /// The line as text.
    #[cfg(test)]
    pub(in crate::chat) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}
