//! The findings of a walk over a schema: in words, or only how well a value fits.

use std::fmt;

use super::problem::Problem;
use crate::text::MOST;

/// The position of a walk in a value. It is converted to text only for a problem.
#[derive(Clone, Copy)]
pub(super) struct Path<'p> {
    step: Step<'p>,
    parent: Option<&'p Path<'p>>,
    /// How many steps there are.
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
    /// The value itself has another kind.
    Itself,
}

/// The problems.
pub(super) enum Findings {
    /// All problems, in words.
    Words(Vec<Problem>),
    /// The information to choose between schemas for a value at this level.
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

    /// Adds the problems with an option that may not have been meant, because another option may know its unknown keys.
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

    /// Adds the verdict on a value at this level to the one on its parent. Returns false if words are needed.
    pub(super) fn take_verdict(&mut self, at: usize, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Fits => {}
            Verdict::Within => self.note(at + 1),
            Verdict::Itself => self.note(at),
        }
        matches!(self, Self::Verdict(..))
    }

    /// Whether nothing that may be found at this level, or within, changes anything.
    pub(super) fn is_settled(&self, at: usize) -> bool {
        match self {
            Self::Words(problems) => problems.len() >= MOST,
            Self::Verdict(level, Verdict::Within) => at > *level,
            Self::Verdict(_, verdict) => *verdict == Verdict::Itself,
        }
    }
}
