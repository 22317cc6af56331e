//! The mistakes of cards, as a program sees them.

use std::collections::HashSet;
use std::fmt;

use onionskin_cards::{CardError, DeckError, Places, Problem, Source};

/// The mistakes of all cards that were loaded together. It is shown as rustc shows errors, each mistake with its lines of the card. `Debug` gives
/// the same text, because a `main` that returns the error prints it so.
#[derive(Clone, Default)]
pub struct LoadError {
    errors: Vec<CardError>,
    mistakes: Vec<Mistake>,
}

/// A mistake of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// What is wrong.
    pub kind: MistakeKind,
    /// The card, as the program named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// What is wrong in a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MistakeKind {
    /// The card, or the way in which it names an item, has a wrong form.
    Format,
    /// There is no such file: the card, or one that it names an item of.
    MissingFile,
    /// The file, or the program, has no item of this name.
    MissingItem,
    /// The item is in Rust, and [`Registry::without_rust`](crate::Registry::without_rust) says that the program has none.
    WithoutRust,
    /// The item is something else than the field wants: it is not a tool, or not a hook. In a workflow also: it has a component or a place of
    /// its own that does not fit, or its file holds another tool or hook.
    WrongKind,
    /// A value for a hook does not fit.
    WrongValue,
    /// A script has a mistake, or its function has not the parameters of a tool or a hook.
    Script,
    /// The cards do not fit together: an unknown child, a name that is there twice, an agent that contains itself, a second entry agent.
    Cards,
    /// The card is at an address: that is not allowed, there is no card, or it names what only cards of this machine can name.
    Address,
    /// The card needs this feature of onionskin.
    MissingFeature(&'static str),
}

/// Mistakes by their files.
#[derive(Default)]
pub(crate) struct Mistakes(Vec<(Source, Vec<(MistakeKind, Problem)>)>);

impl LoadError {
    /// The mistakes by their cards, and in each card in the order of their places.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// The error without its mistakes of one kind; none if it has no others.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, MistakeKind, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("adder.md"), "---\nfunction_tools: [tools.rs:add_one]\n---\nDo sums.\n")?;
    ///
    /// let registry = Registry::new().without_rust("write it as a script");
    /// let error = CardLoader::new(registry).base(folder.path()).load(["adder.md"]).unwrap_err();
    /// assert!(error.without(MistakeKind::WithoutRust).is_none());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn without(self, kind: MistakeKind) -> Option<Self> {
        let mut others = Self::default();
        let mut mistakes = self.mistakes.into_iter();
        for error in self.errors {
            let mut problems = Vec::new();
            // The mistakes have the order of the problems.
            for (problem, mistake) in error.problems().iter().zip(&mut mistakes) {
                if mistake.kind != kind {
                    problems.push(problem.clone());
                    others.mistakes.push(mistake);
                }
            }
            if !problems.is_empty() {
                others.errors.push(CardError::new(error.source_file().clone(), problems));
            }
        }
        (!others.mistakes.is_empty()).then_some(others)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{error}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LoadError {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, .. } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl Mistakes {
    pub(crate) fn add(&mut self, source: &Source, kind: MistakeKind, problem: Problem) {
        match self.0.iter_mut().rev().find(|(other, _)| other.name == source.name) {
            Some((_, problems)) => problems.push((kind, problem)),
            None => self.0.push((source.clone(), vec![(kind, problem)])),
        }
    }

    pub(crate) fn add_all(&mut self, error: &CardError, kind: MistakeKind) {
        for problem in error.problems() {
            self.add(error.source_file(), kind, problem.clone());
        }
    }

    pub(crate) fn add_deck(&mut self, error: &DeckError) {
        for error in error.file_errors() {
            let kind = if error.is_missing_file() { MistakeKind::MissingFile } else { MistakeKind::Format };
            self.add_all(error, kind);
        }
        for error in error.among_cards() {
            self.add_all(error, MistakeKind::Cards);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add_other(&mut self, other: Self) {
        for (source, problems) in other.0 {
            for (kind, problem) in problems {
                self.add(&source, kind, problem);
            }
        }
    }

    /// Each mistake once. What a workflow says of all agents is wrong in each of them.
    pub(crate) fn once(mut self) -> Self {
        for (_, problems) in &mut self.0 {
            let mut reported = HashSet::new();
            problems.retain(|(_, problem)| reported.insert((problem.span.clone(), problem.message.clone())));
        }
        self
    }

    pub(crate) fn into_error(self) -> Option<LoadError> {
        let (mut errors, mut mistakes) = (Vec::new(), Vec::new());
        for (source, mut problems) in self.0 {
            problems.sort_by_key(|(_, problem)| problem.span.start);
            let mut places = Places::new(&source);
            mistakes.extend(problems.iter().map(|(kind, problem)| {
                let (line, column) = places.line_and_column(problem.span.start);
                Mistake {
                    kind: *kind,
                    file: source.file_of(problem.span.start).to_owned(),
                    line,
                    column,
                    message: source.redacted(&problem.message),
                }
            }));
            errors.push(CardError::new(source, problems.into_iter().map(|(_, problem)| problem).collect()));
        }
        (!errors.is_empty()).then_some(LoadError { errors, mistakes })
    }
}
