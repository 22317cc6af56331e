//! What becomes of each tool of other programs.

use onionskin_vocabulary::BuiltIn;

/// A tool of another program.
pub(super) struct ToolRow {
    /// Its names. The case counts only where another tool has the same letters.
    pub(super) names: &'static [&'static str],
    pub(super) tool: Tool,
}

/// What a tool is here.
#[derive(Clone, Copy)]
pub(super) enum Tool {
    BuiltIn(&'static [BuiltIn]),
    /// It calls other agents.
    Agents,
    Left(&'static str),
}

const EDITOR: &str = "only an editor has it";
const WEB: &str =
    "no built-in tool uses the web: add a server for it to `.mcp.json`, and its name to `servers`";
const RESULT: &str = "the call of `shell.execute` waits for the command and gives its output";

/// The tools of Claude Code, VS Code and GitHub Copilot.
pub(super) const TOOL_ROWS: &[ToolRow] = &[
    ToolRow {
        names: &[
            "Read",
            "NotebookRead",
            "readFile",
            "read_file",
            "open_file",
            "view",
            "getNotebookSummary",
            "viewImage",
        ],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemRead]),
    },
    ToolRow {
        names: &["Write", "createFile", "create_file", "create"],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemWrite]),
    },
    ToolRow {
        names: &[
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "editNotebook",
            "replace_string_in_file",
            "insert_edit_into_file",
            "apply_patch",
        ],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemEdit]),
    },
    ToolRow {
        names: &["edit", "editFiles"],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemEdit, BuiltIn::FilesystemWrite]),
    },
    ToolRow {
        names: &["Grep", "textSearch", "grep_search"],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemSearch]),
    },
    ToolRow {
        names: &["Glob", "LS", "fileSearch", "file_search", "listDirectory", "list_dir", "findTestFiles"],
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemList]),
    },
    ToolRow {
        names: &["search", "codebase"],
        // These groups of tools read files too.
        tool: Tool::BuiltIn(&[BuiltIn::FilesystemSearch, BuiltIn::FilesystemList, BuiltIn::FilesystemRead]),
    },
    ToolRow {
        names: &[
            "Bash",
            "PowerShell",
            "shell",
            "execute",
            "runCommands",
            "runInTerminal",
            "run_in_terminal",
            "terminal",
        ],
        tool: Tool::BuiltIn(&[BuiltIn::ShellExecute]),
    },
    ToolRow {
        names: &["runTests", "runTasks", "runTask", "createAndRunTask"],
        tool: Tool::Left("an editor runs what its settings say, and `shell.execute` runs any command"),
    },
    ToolRow {
        names: &["createDirectory"],
        tool: Tool::Left("`filesystem.write` makes the folder of a file"),
    },
    ToolRow { names: &["AskUserQuestion", "askQuestions"], tool: Tool::BuiltIn(&[BuiltIn::HumanInput]) },
    ToolRow { names: &["Skill", "skills"], tool: Tool::BuiltIn(&[BuiltIn::SkillsRead]) },
    ToolRow { names: &["Task", "Agent", "runSubagent", "run_subagent", "custom-agent"], tool: Tool::Agents },
    ToolRow {
        names: &[
            "BashOutput",
            "KillShell",
            "KillBash",
            "getTerminalOutput",
            "get_terminal_output",
            "getTaskOutput",
            "awaitTerminal",
            "killTerminal",
        ],
        tool: Tool::Left(RESULT),
    },
    ToolRow {
        names: &["WebFetch", "WebSearch", "web", "fetch", "githubRepo", "openSimpleBrowser", "browser"],
        tool: Tool::Left(WEB),
    },
    ToolRow {
        names: &[
            "TodoWrite",
            "TodoRead",
            "TaskCreate",
            "TaskGet",
            "TaskUpdate",
            "TaskList",
            "todo",
            "todos",
            "think",
            "ExitPlanMode",
            "EnterPlanMode",
        ],
        tool: Tool::Left("a model plans in its answers here"),
    },
    ToolRow {
        names: &["ListMcpResourcesTool", "ReadMcpResourceTool"],
        tool: Tool::Left(
            "write `resources`, with the URIs that it reads: `resources: { docs: [\"file:///guide/*\"] }`",
        ),
    },
    ToolRow {
        names: &["SendMessage", "SlashCommand", "Monitor", "EnterWorktree", "ExitWorktree", "ToolSearch"],
        tool: Tool::Left("only Claude Code has it"),
    },
    ToolRow {
        names: &[
            "vscode",
            "LSP",
            "memory",
            "usages",
            "problems",
            "get_errors",
            "changes",
            "searchResults",
            "search_results",
            "testFailure",
            "terminalLastCommand",
            "terminalSelection",
            "terminalCommand",
            "selection",
            "extensions",
            "installExtension",
            "vscodeAPI",
            "new",
            "newWorkspace",
            "newJupyterNotebook",
            "createJupyterNotebook",
            "runNotebooks",
            "runNotebookCell",
            "readNotebookCellOutput",
            "getProjectSetupInfo",
            "runCommand",
            "runVscodeCommand",
            "show_content",
            "switchAgent",
        ],
        tool: Tool::Left(EDITOR),
    },
];

/// The tool of this name.
pub(super) fn tool(name: &str) -> Option<Tool> {
    let row = |is: fn(&str, &str) -> bool| {
        TOOL_ROWS.iter().find(|row| row.names.iter().any(|known| is(known, name)))
    };
    row(|known, name| known == name).or_else(|| row(str::eq_ignore_ascii_case)).map(|row| row.tool)
}

/// Whether Claude Code alone writes the name of a tool so: `Read`, `Bash(git *)`, `mcp__github__search`.
pub(super) fn is_of_claude(name: &str) -> bool {
    let base = name.split('(').next().unwrap_or_default().trim();
    name.starts_with("mcp__")
        || base.starts_with(|c: char| c.is_ascii_uppercase())
            && TOOL_ROWS.iter().any(|row| row.names.contains(&base))
}

/// The groups that VS Code puts in front of a tool: `edit/editFiles`. Other words there are servers.
pub(super) const GROUPS: &[&str] = &[
    "read",
    "edit",
    "search",
    "execute",
    "web",
    "vscode",
    "agent",
    "todo",
    "new",
    "runCommands",
    "runTasks",
    "runNotebooks",
    "browser",
];

/// The tools that change nothing. An agent whose file names no tools has these.
pub(super) const READING: &[BuiltIn] =
    &[BuiltIn::FilesystemRead, BuiltIn::FilesystemList, BuiltIn::FilesystemSearch];
