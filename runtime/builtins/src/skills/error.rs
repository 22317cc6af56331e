//! `SkillsError` says why skills cannot be used.

use std::io;
use std::path::PathBuf;

/// Skills cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillsError {
    /// A folder or a file cannot be read.
    #[error("cannot read `{}`: {source}; name a folder of skills that can be read", path.display())]
    #[non_exhaustive]
    Read {
        /// The folder or the file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder contains no skill.
    #[error("`{}` contains no skill: make one as `{}`", path.display(), path.join("NAME/SKILL.md").display())]
    #[non_exhaustive]
    None {
        /// The folder.
        path: PathBuf,
    },
    /// A mistake in the front matter of a `SKILL.md`.
    #[error("{}:{line}:{column}: {problem}", path.display())]
    #[non_exhaustive]
    FrontMatter {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The column, counted from 1.
        column: u64,
        /// The mistake, and what to write.
        problem: String,
    },
    /// Two skills have the same name.
    #[error("the skill `{name}` is both in `{}` and in `{}`: rename one", first.display(), second.display())]
    #[non_exhaustive]
    Twice {
        /// The name.
        name: String,
        /// The folder of one of them.
        first: PathBuf,
        /// The folder of the other one.
        second: PathBuf,
    },
    /// Several of these.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<SkillsError>),
}
