//! The mistakes of a file, and how they are shown.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::source::{Places, Source};

/// The most problems of one file that are shown. Beyond these, a mistake needs no "did you mean", which takes time for each name that there is.
pub const MOST_SHOWN: usize = 20;

/// A mistake at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The mistake, and what to write instead.
    pub message: String,
    /// The bytes that are wrong.
    pub span: Range<usize>,
}

/// The mistakes of a file, in the order of their places. They are shown as rustc shows errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardError {
    source: Source,
    problems: Vec<Problem>,
    is_missing_file: bool,
}

impl CardError {
    /// The mistakes of this file.
    pub fn new(source: Source, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        for problem in &mut problems {
            problem.message = source.redacted(&problem.message);
        }
        Self { source, problems, is_missing_file: false }
    }

    /// The same, of a file that does not exist.
    pub(crate) fn with_missing_file(mut self) -> Self {
        self.is_missing_file = true;
        self
    }

    /// Whether there is no such file.
    pub fn is_missing_file(&self) -> bool {
        self.is_missing_file
    }

    /// The file.
    pub fn source_file(&self) -> &Source {
        &self.source
    }

    /// Its mistakes.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Each mistake in a line: `cards/pmo.md:3:1: unknown field ..`.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let mut places = Places::new(&self.source);
        self.problems.iter().map(move |problem| {
            let (line, column) = places.line_and_column(problem.span.start);
            let (file, _) = self.source.file_at(problem.span.start);
            format!("{file}:{line}:{column}: {}", problem.message)
        })
    }

    /// Each mistake with the lines of the file that it is in, without the word `error` in front. Of very many, the first ones, and how many
    /// there are beside.
    pub fn drawings(&self) -> impl Iterator<Item = String> {
        let shown = self.problems.iter().take(MOST_SHOWN).map(|problem| {
            let drawn = self.drawn(problem);
            drawn.strip_prefix("error: ").map_or(drawn.clone(), str::to_owned)
        });
        shown.chain(self.more().map(|more| format!("`{}` has {more} more mistakes", self.source.name)))
    }

    /// How many mistakes are not shown.
    fn more(&self) -> Option<usize> {
        self.problems.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0)
    }

    /// A mistake with the lines of the file that it is in.
    fn drawn(&self, problem: &Problem) -> String {
        let (name, file) = self.source.file_at(problem.span.start);
        let text = &self.source.text[file.clone()];
        if text.is_empty() || self.source.is_foreign {
            let origin = Origin::path(name);
            return Renderer::plain()
                .render(&[Level::ERROR.primary_title(&*problem.message).element(origin)]);
        }
        let start = text.floor_char_boundary(problem.span.start - file.start);
        let end = text.ceil_char_boundary((problem.span.end - file.start).max(start));
        // Of a place over several lines, the first one is shown.
        let end = text[start..end].find('\n').map_or(end, |newline| start + newline);
        let mark = AnnotationKind::Primary.span(start..end);
        // The error goes to logs.
        let field = &text[start..end];
        let text = if holds_secret(field) {
            Cow::Owned(without_rest_of_line(text, end))
        } else {
            Cow::Borrowed(text)
        };
        let snippet = Snippet::source(&*text).path(name).annotation(mark);
        let report = Level::ERROR.primary_title(&*problem.message).element(snippet);
        Renderer::plain().render(&[report])
    }
}

/// Whether a field of this name can hold a secret.
fn holds_secret(field: &str) -> bool {
    let field = field.to_lowercase();
    ["api_key", "api-key", "apikey", "secret", "password"].iter().any(|word| field.contains(word))
        || field.ends_with("token")
}

/// The text with `: ..` in place of what follows on the line of this byte.
fn without_rest_of_line(text: &str, at: usize) -> String {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    format!("{}: ..{}", &text[..at], &text[end..])
}

impl fmt::Display for CardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().take(MOST_SHOWN).enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{}", self.drawn(problem))?;
        }
        match self.more() {
            None => Ok(()),
            Some(more) => write!(f, "\n\nand {more} more"),
        }
    }
}

impl std::error::Error for CardError {}
