//! The built-in tools.

/// A built-in tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// `shell.execute`
    ShellExecute,
    /// `human.input`
    HumanInput,
    /// `filesystem.read`
    FilesystemRead,
    /// `filesystem.write`
    FilesystemWrite,
    /// `filesystem.list`
    FilesystemList,
    /// `filesystem.edit`
    FilesystemEdit,
    /// `filesystem.search`
    FilesystemSearch,
    /// `skills.read`
    SkillsRead,
}

impl BuiltIn {
    /// All built-in tools.
    pub const ALL: [Self; 8] = [
        Self::ShellExecute,
        Self::HumanInput,
        Self::FilesystemRead,
        Self::FilesystemWrite,
        Self::FilesystemList,
        Self::FilesystemEdit,
        Self::FilesystemSearch,
        Self::SkillsRead,
    ];

    /// The name of its family, and its own name.
    const fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::ShellExecute => ("shell", "shell.execute"),
            Self::HumanInput => ("human", "human.input"),
            Self::FilesystemRead => ("filesystem", "filesystem.read"),
            Self::FilesystemWrite => ("filesystem", "filesystem.write"),
            Self::FilesystemList => ("filesystem", "filesystem.list"),
            Self::FilesystemEdit => ("filesystem", "filesystem.edit"),
            Self::FilesystemSearch => ("filesystem", "filesystem.search"),
            Self::SkillsRead => ("skills", "skills.read"),
        }
    }

    /// Its name.
    pub const fn word(self) -> &'static str {
        self.parts().1
    }

    /// Its name before the dot: `shell`.
    pub const fn family(self) -> &'static str {
        self.parts().0
    }

    /// Its name after the dot, which is also the name of the function that creates it: `execute`.
    pub fn name(self) -> &'static str {
        self.word().split_once('.').map_or(self.word(), |(_, name)| name)
    }

    /// The tool of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.word() == word)
    }

    /// The error for a name that no built-in tool has.
    pub fn unknown(word: &str) -> String {
        crate::unknown("built-in tool", word, &Self::ALL.map(Self::word))
    }

    /// The feature of the crate `onionskin` that provides it.
    pub const fn feature(self) -> &'static str {
        match self {
            Self::ShellExecute => "shell",
            Self::HumanInput => "human-input",
            Self::FilesystemRead
            | Self::FilesystemWrite
            | Self::FilesystemList
            | Self::FilesystemEdit
            | Self::FilesystemSearch => "filesystem",
            Self::SkillsRead => "skills",
        }
    }

    /// The error of a program without the feature.
    pub fn missing(self) -> String {
        let does = match self {
            Self::ShellExecute => "runs programs",
            Self::HumanInput => "asks the user",
            Self::FilesystemRead
            | Self::FilesystemWrite
            | Self::FilesystemList
            | Self::FilesystemEdit
            | Self::FilesystemSearch => "uses files",
            Self::SkillsRead => "reads skills",
        };
        format!("`{}` {does}: enable feature `{}` of onionskin", self.word(), self.feature())
    }
}

/// The error of an agent with servers in a program without the feature for servers.
pub const MISSING_MCP: &str = "`servers` need MCP: enable feature `mcp` of onionskin";
