//! Valid names of tools and parameters.

use onionskin_vocabulary::LONGEST_TOOL_NAME;

/// The reason why a name is invalid for a tool or a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// The name is empty.
    #[error("it is empty")]
    Empty,
    /// The name has characters that providers reject.
    #[error("it contains {}; write letters A to Z, digits, `_`, `-` or `.`", shown(*.0))]
    Character(char),
    /// The name has this many characters; providers accept at most [`MOST`](Self::MOST).
    #[error("it has {0} characters, but providers accept at most {most}", most = Self::MOST)]
    Long(usize),
}

impl NameProblem {
    /// The maximum number of characters in the name of a tool.
    pub const MOST: usize = LONGEST_TOOL_NAME;

    /// The problem of a tool's name. A dot is allowed: models see it as `_`.
    pub fn for_tool(name: &str) -> Option<Self> {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let wrong = name.chars().find(|c| !is_legal(*c)).map(Self::Character);
        let long = || (name.len() > Self::MOST).then_some(Self::Long(name.len()));
        Self::empty(name).or(wrong).or_else(long)
    }

    /// As [`Self::for_tool`], but a name that a server chose must only be non-empty, because it is adapted for
    /// the model.
    pub fn unless_of_server(name: &str, is_of_server: bool) -> Option<Self> {
        Self::for_tool(name).filter(|problem| !is_of_server || *problem == Self::Empty)
    }

    /// The problem of a parameter's name.
    pub fn for_parameter(name: &str) -> Option<Self> {
        let is_wrong = |c: &char| c.is_control() || matches!(c, '"' | '\\');
        Self::empty(name).or_else(|| name.chars().find(is_wrong).map(Self::Character))
    }

    fn empty(name: &str) -> Option<Self> {
        name.is_empty().then_some(Self::Empty)
    }
}

fn shown(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '`' => "a backtick".to_owned(),
        c => format!("`{}`", c.escape_debug()),
    }
}
