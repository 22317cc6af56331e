//! The built-in tools.

/// Where `skills.read` looks in the working directory: the first of these folders that exists.
pub const SKILL_FOLDERS: [&str; 4] = ["skills", ".agents/skills", ".fast-agent/skills", ".claude/skills"];

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

    /// Its name, the feature of the crate `onionskin` that provides it, and what it does.
    const fn row(self) -> [&'static str; 3] {
        match self {
            Self::ShellExecute => ["shell.execute", "shell", "runs programs"],
            Self::HumanInput => ["human.input", "human-input", "asks the user"],
            Self::FilesystemRead => ["filesystem.read", "filesystem", "uses files"],
            Self::FilesystemWrite => ["filesystem.write", "filesystem", "uses files"],
            Self::FilesystemList => ["filesystem.list", "filesystem", "uses files"],
            Self::FilesystemEdit => ["filesystem.edit", "filesystem", "uses files"],
            Self::FilesystemSearch => ["filesystem.search", "filesystem", "uses files"],
            Self::SkillsRead => ["skills.read", "skills", "reads skills"],
        }
    }

    /// Its name.
    pub const fn word(self) -> &'static str {
        self.row()[0]
    }

    /// Its name before the dot: `shell`.
    pub fn family(self) -> &'static str {
        self.word().split_once('.').map_or(self.word(), |(family, _)| family)
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

    /// Whether a word of a filter names the tool: `filesystem.read`, or `filesystem.*` for all of its family.
    pub fn is_named(tool: &str, word: &str) -> bool {
        tool == word || Self::family_prefix(word).is_some_and(|family| tool.starts_with(family))
    }

    /// The first tool that a word of a filter names.
    pub fn first_named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| Self::is_named(tool.word(), word))
    }

    /// How the names of all tools of a family begin, if a word of a filter names one: `filesystem.` for `filesystem.*`.
    pub fn family_prefix(word: &str) -> Option<&str> {
        word.strip_suffix('*').filter(|family| family.len() > 1 && family.ends_with('.'))
    }

    /// Whether it changes something outside of the agent.
    pub const fn changes_something(self) -> bool {
        match self {
            Self::ShellExecute | Self::FilesystemWrite | Self::FilesystemEdit => true,
            Self::HumanInput
            | Self::FilesystemRead
            | Self::FilesystemList
            | Self::FilesystemSearch
            | Self::SkillsRead => false,
        }
    }

    /// The feature of the crate `onionskin` that provides it.
    pub const fn feature(self) -> &'static str {
        self.row()[1]
    }

    /// The error of a program without the feature.
    pub fn missing(self) -> String {
        let [word, feature, does] = self.row();
        format!("`{word}` {does}: enable feature `{feature}` of onionskin")
    }
}

/// The error of an agent with servers in a program without the feature for servers.
pub const MISSING_MCP: &str = "`servers` need MCP: enable feature `mcp` of onionskin";
