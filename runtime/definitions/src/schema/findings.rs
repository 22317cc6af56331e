//! The findings of a walk over a schema: a list of problems, or only how well a value fits.

use std::fmt;

use super::problem::Problem;
use crate::text::MOST;

/// The position of a walk in a value. It is formatted only for a problem.
#[derive(Clone, Copy)]
pub(super) struct Path<'p> {
    step: Step<'p>,
    parent: Option<&'p Path<'p>>,
    /// The number of steps.
    pub(super) level: usize,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Field(&'p str),
    Item(usize),
}

impl<'p> Path<'p> {
    pub(super) fn root(path: &'p str) -> Self {
        Self { step: Step::Field(path), parent: None, level: 0 }
    }

    pub(super) fn field(&'p self, name: &'p str) -> Self {
        Self { step: Step::Field(name), parent: Some(self), level: self.level + 1 }
    }

    pub(super) fn item(&'p self, index: usize) -> Self {
        Self { step: Step::Item(index), parent: Some(self), level: self.level + 1 }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self { step: Step::Field(""), parent: None, .. })
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent = self.parent.filter(|parent| !parent.is_empty());
        if let Some(parent) = parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Field(name) if parent.is_some() => write!(f, ".{name}"),
            Step::Field(name) => f.write_str(name),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}

/// How well a value fits one of several schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Fits,
    /// A part of the value does not fit.
    Within,
    /// The value has another type.
    Itself,
}

/// The problems.
pub(super) enum Findings {
    /// All problems.
    Words(Vec<Problem>),
    /// How well the value at this level fits, to choose between schemas.
    Verdict(usize, Verdict),
}

impl Findings {
    pub(super) fn add(&mut self, path: &Path<'_>, problem: impl FnOnce(String) -> Problem) {
        match self {
            Self::Words(problems) if problems.len() < MOST => problems.push(problem(path.to_string())),
            Self::Words(_) => {}
            Self::Verdict(..) => self.note(path.level),
        }
    }

    /// Adds the problems with one option. Unknown keys are omitted if there are other problems, because another
    /// option may know them.
    pub(super) fn take_from_option(&mut self, told: Self) {
        if let (Self::Words(problems), Self::Words(mut told)) = (self, told) {
            if !told.iter().all(Problem::is_unknown) {
                told.retain(|problem| !problem.is_unknown());
            }
            problems.extend(told);
            problems.truncate(MOST);
        }
    }

    /// Adds a problem at this level to the verdict.
    fn note(&mut self, at: usize) {
        if let Self::Verdict(level, verdict) = self {
            *verdict = if at > *level { (*verdict).max(Verdict::Within) } else { Verdict::Itself };
        }
    }

    /// Adds the verdict on a value at this level to that on its parent. Returns false if problems are
    /// collected instead.
    pub(super) fn take_verdict(&mut self, at: usize, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Fits => {}
            Verdict::Within => self.note(at + 1),
            Verdict::Itself => self.note(at),
        }
        matches!(self, Self::Verdict(..))
    }

    /// Whether no finding at this level, or within it, can change the verdict.
    pub(super) fn is_decided(&self, at: usize) -> bool {
        match self {
            Self::Words(problems) => problems.len() >= MOST,
            Self::Verdict(level, Verdict::Within) => at > *level,
            Self::Verdict(_, verdict) => *verdict == Verdict::Itself,
        }
    }
}
