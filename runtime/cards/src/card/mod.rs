//! An agent card: its fields, read and checked.

mod check;
mod fields;
mod filter;
mod hooks;
mod locked;
mod model;
mod read;
mod write;

use std::path::Path;

use onionskin_vocabulary::{FrontMatterMistake, front_matter};

use crate::endings::{is_markdown, is_yaml};
use crate::file::LARGEST_FILE;
use crate::problem::{CardError, Problem};
use crate::source::{Source, Spanned};
use crate::tool_use::ToolUse;
use crate::yaml;
use crate::yaml::Node;
use read::Unread;

pub use filter::Called;
pub use model::{Card, Filter, Hook, HookItem, Text, Toolbox};

/// The agent of these fields, and its mistakes. `name` is what it is called outside of the fields, and `tools` are those that it has beyond
/// them.
///
/// # Errors
/// Returns an error if `fields` is a list or a single value.
pub(crate) fn of_fields(
    path: &Path,
    source: &Source,
    fields: &Node,
    name: Option<Spanned<String>>,
    tools: Vec<ToolUse>,
) -> Result<(Card, Vec<Problem>), Problem> {
    Unread { path, source, fields: Some(fields), start: fields.span.start, body: None, name, tools }.read()
}

impl Card {
    /// Reads a card. `path` tells the name of the agent and whether the card is Markdown or YAML; `source.name` is what messages show.
    ///
    /// # Errors
    /// Returns all mistakes of the card.
    pub fn read(path: &Path, source: Source) -> Result<Self, CardError> {
        match Self::read_with_problems(path, &source) {
            (Some(card), problems) if problems.is_empty() => Ok(card),
            (_, problems) => Err(CardError::new(source, problems)),
        }
    }

    /// Reads a card as far as it can be read, and its mistakes. Without mistakes there is a card.
    pub fn read_with_problems(path: &Path, source: &Source) -> (Option<Self>, Vec<Problem>) {
        match Self::read_parts(path, source) {
            Ok((card, mut problems)) => {
                problems.dedup();
                (Some(card), problems)
            }
            Err(problem) => (None, vec![problem]),
        }
    }

    fn read_parts(path: &Path, source: &Source) -> Result<(Self, Vec<Problem>), Problem> {
        let text = &*source.text;
        let whole = |message: String| Problem { message, span: 0..0 };
        if text.len() > LARGEST_FILE {
            return Err(whole(format!(
                "a card has at most {LARGEST_FILE} bytes; this one has {}",
                text.len()
            )));
        }
        let (front, body) = if is_markdown(path) {
            let parts = front_matter(text).map_err(no_front_matter)?;
            (parts.fields, Some(parts.body))
        } else if is_yaml(path) {
            (0..text.len(), None)
        } else {
            return Err(whole("a card is a file with the ending `.md`, `.yaml` or `.yml`".to_owned()));
        };
        let node = yaml::parse(&text[front.clone()], front.start)?;
        let fields = node.as_ref();
        Unread { path, source, fields, start: front.start, body, name: None, tools: Vec::new() }.read()
    }
}

fn no_front_matter(mistake: FrontMatterMistake) -> Problem {
    let (message, span) = match mistake {
        FrontMatterMistake::Missing(span) => (
            "the front matter is missing: a card begins with a line `---`, its fields in YAML, and another line `---`; its text follows",
            span,
        ),
        FrontMatterMistake::Unclosed(span) => {
            ("the front matter has no end: write a line `---` before the text of the card", span)
        }
    };
    Problem { message: message.to_owned(), span }
}
