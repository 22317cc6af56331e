//! What becomes of each field of other programs. The book shows these tables, and those of `tool_names` and `types`.

use onionskin_vocabulary::BuiltIn;
use onionskin_vocabulary::agent::{Limit, Setting};

/// A program whose agents are imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    /// Claude Code: `.claude/agents/*.md`
    Claude,
    /// VS Code and GitHub Copilot: `*.agent.md`, `*.chatmode.md`
    Vscode,
    /// fast-agent: cards
    FastAgent,
}

impl Kind {
    /// The name of the program.
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Vscode => "VS Code",
            Self::FastAgent => "fast-agent",
        }
    }

    /// The fields of its files.
    pub(super) fn fields(self) -> &'static [Row] {
        match self {
            Self::Claude => CLAUDE,
            Self::Vscode => VSCODE,
            Self::FastAgent => FAST_AGENT,
        }
    }

    /// Whether the program has an agent of this name without a file.
    pub(super) fn has_agent(self, name: &str) -> bool {
        let names: &[&str] = match self {
            Self::Claude => &["Explore", "Plan", "general-purpose"],
            Self::Vscode => &["Explore", "Plan"],
            Self::FastAgent => &[],
        };
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The field of this name.
    pub(super) fn field(self, name: &str) -> Option<&'static Row> {
        self.fields().iter().find(|row| row.field == name)
    }
}

/// A field of another program.
pub(super) struct Row {
    pub(super) field: &'static str,
    pub(super) take: Take,
    /// What it is in a card, or why it is left out.
    pub(super) here: &'static str,
}

/// What is done with a field.
#[derive(Clone, Copy)]
pub(super) enum Take {
    Name,
    Description,
    Instruction,
    Model,
    /// Names of tools.
    Tools,
    /// Names of tools of servers, below the names of the servers.
    ToolsOfServers,
    /// Names of tools that the agent has not.
    WithoutTools,
    /// How the program asks before it changes something.
    Permissions,
    /// Names of servers, or servers.
    Servers,
    Agents,
    Skills,
    /// A built-in tool that is switched on.
    Switch(BuiltIn),
    Limit(Limit),
    Setting(Setting),
    /// The kind of the card.
    Type,
    /// Parameters of requests.
    Params,
    /// A part of an agent that calls others in an order.
    Flow,
    /// It is left out.
    Left,
}

const fn row(field: &'static str, take: Take, here: &'static str) -> Row {
    Row { field, take, here }
}

const fn left(field: &'static str, why: &'static str) -> Row {
    row(field, Take::Left, why)
}

const HOOKS: &str = "its commands are not run here; hooks of a card are scripts";
const PLAIN: &str = "cards have nothing like it, and the agent works without it";
const DATA: &str =
    "in a card, the field gives the model tools that read them: write it into the card if you want that";
const SERVERS: &str = "`servers`, if the `.mcp.json` of the working directory has them and agents can use them; otherwise left out";
const TOOLS: &str = "`runtime`, `servers`, `tools` and `agents`, [by the names of the tools](#tools)";
const NAME: &str = "`name`, with `-` in place of characters that a name cannot have";
const MODEL: &str = "`model`, if it is the name that a provider has for it; short names are left out";

const CLAUDE: &[Row] = &[
    row("name", Take::Name, NAME),
    row("description", Take::Description, "`description`"),
    row("tools", Take::Tools, TOOLS),
    row(
        "disallowedTools",
        Take::WithoutTools,
        "the card does not have these tools; a server of which some tools are forbidden is left out, unless `tools` names others of it",
    ),
    row("model", Take::Model, MODEL),
    row("maxTurns", Take::Limit(Limit::Turns), "`limits: { turns: .. }`"),
    row("skills", Take::Skills, "`runtime: [skills.read]`: the model reads a skill when a task needs it"),
    row("mcpServers", Take::Servers, SERVERS),
    row("mcp-servers", Take::Servers, SERVERS),
    row(
        "permissionMode",
        Take::Permissions,
        "`approval`: of edits not with `acceptEdits`, of nothing with `bypassPermissions`; with `plan`, the card has no tools that change something",
    ),
    left("hooks", HOOKS),
    left(
        "memory",
        "memories need a store of a program: write `add_memories_to_context: true` if the program that loads the card sets one",
    ),
    left("background", "a parent waits for its agents, and calls several at once"),
    left(
        "effort",
        "how much a model thinks is a request parameter: `request_params: { reasoning_effort: .. }`",
    ),
    left("isolation", "the folder of the files is chosen on the command line: `--root`"),
    left("initialPrompt", "the first input is given on the command line"),
    left("color", "cards have no colours"),
];

const VSCODE: &[Row] = &[
    row("name", Take::Name, NAME),
    row("description", Take::Description, "`description`"),
    row("tools", Take::Tools, TOOLS),
    row("model", Take::Model, MODEL),
    row("agents", Take::Agents, "`agents`, as far as they are imported with it"),
    row("mcp-servers", Take::Servers, SERVERS),
    left(
        "handoffs",
        "a person chooses the next agent: `--agent NAME`; write `agents: [NAME]` if this agent should call it",
    ),
    left("argument-hint", PLAIN),
    left("target", PLAIN),
    left("mode", PLAIN),
    left("metadata", PLAIN),
    left("user-invocable", "each agent can be asked: `--agent NAME`"),
    left("user-invokable", "each agent can be asked: `--agent NAME`"),
    left("disable-model-invocation", "an agent calls those in its `agents`, and no others"),
    left("infer", "an agent calls those in its `agents`, and no others"),
    left("hooks", HOOKS),
];

const FAST_AGENT: &[Row] = &[
    row("type", Take::Type, "[by the type](#kinds-of-agents)"),
    row("name", Take::Name, NAME),
    row("description", Take::Description, "`description`"),
    row("instruction", Take::Instruction, "the text of the card"),
    row("default", Take::Setting(Setting::Default), "`default`, of the first card that has it"),
    row("model", Take::Model, MODEL),
    row("servers", Take::Servers, SERVERS),
    row("tools", Take::ToolsOfServers, "`tools`, of servers that the card has"),
    row("agents", Take::Agents, "`agents`, as far as they are imported with it"),
    row(
        "skills",
        Take::Skills,
        "`runtime: [skills.read]`, unless the list is empty: the model reads a skill when a task needs it",
    ),
    row("shell", Take::Switch(BuiltIn::ShellExecute), "`runtime: [shell.execute]`"),
    row("human_input", Take::Switch(BuiltIn::HumanInput), "`runtime: [human.input]`"),
    row("request_params", Take::Params, "`request_params` and `limits`, [by the parameter](#parameters)"),
    row("history_source", Take::Setting(Setting::HistorySource), "`history_source`"),
    row("history_merge_target", Take::Setting(Setting::HistoryMergeTarget), "`history_merge_target`"),
    row("max_parallel", Take::Setting(Setting::MaxParallel), "`max_parallel`"),
    row("child_timeout_sec", Take::Setting(Setting::ChildTimeout), "`child_timeout_sec`"),
    row("max_display_instances", Take::Setting(Setting::MaxDisplayInstances), "`max_display_instances`"),
    row("sequence", Take::Flow, "`agents` of a chain, and their order in its text"),
    row("cumulative", Take::Flow, "a sentence in the text of a chain"),
    row("fan_out", Take::Flow, "`agents` of a parallel agent"),
    row("fan_in", Take::Flow, "the last of its `agents`"),
    row("include_request", Take::Flow, "a sentence in its text"),
    row("generator", Take::Flow, "one of the `agents` of an evaluator and optimizer"),
    row("evaluator", Take::Flow, "the other one"),
    row("min_rating", Take::Flow, "a sentence in its text"),
    row("max_refinements", Take::Flow, "a sentence in its text"),
    row("refinement_instruction", Take::Flow, "a sentence in its text"),
    row("plan_iterations", Take::Flow, "a sentence in the text of a planner"),
    left("plan_type", "a planner here looks at the results before it plans on"),
    left(
        "use_history",
        "a conversation keeps its history in `chat`, and a child starts without one: see `history_source`",
    ),
    left(
        "cwd",
        "the folder is that of the command line: `--root` for files, the working directory for commands",
    ),
    left(
        "tool_only",
        "an agent that others name in `agents` is a tool of theirs, and each can be asked: `--agent NAME`",
    ),
    left(
        "function_tools",
        "Python is not run here: write the function as a script, `function_tools: [tools.rhai:NAME]`",
    ),
    left(
        "tool_hooks",
        "Python is not run here: write the function as a script, `tool_hooks: [hooks.rhai:NAME]`",
    ),
    left("lifecycle_hooks", "Python is not run here"),
    left(
        "trim_tool_history",
        "write `turn_hooks: [{ hook: \"::onionskin::turn_hooks::last_inputs\", with: [9] }]`",
    ),
    left("mcp_connect", "a server belongs in `.mcp.json`, and its name in `servers`"),
    left("resources", DATA),
    left("prompts", DATA),
    left("tool_input_schema", "a parent gives the agent one text"),
    left("messages", "a conversation begins with the first input: `onionskin chat`"),
    left("api_key", "a key belongs in the environment, under the name that the provider reads"),
    left("subagents", "an agent calls those in its `agents`, and no others"),
    left("subagent_model", "each agent has a `model` of its own"),
    left("harness_tools", "name built-in tools in `runtime`"),
    left("variables", "write the values in the text"),
    left("save_trajectory", PLAIN),
    left("commands", PLAIN),
    left("schema_version", PLAIN),
];
