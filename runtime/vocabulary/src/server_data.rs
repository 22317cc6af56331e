//! The fields of an agent with patterns for what it uses of each MCP server: tools, resources and prompts. The last two give the agent tools that
//! read them, which the model calls as the server's own tools: `docs__read_resource`.

use crate::agent::Part;

/// Lists the resources that the agent may read.
pub const LIST_RESOURCES: &str = "list_resources";

/// Reads a resource.
pub const READ_RESOURCE: &str = "read_resource";

/// Lists the prompts that the agent may get.
pub const LIST_PROMPTS: &str = "list_prompts";

/// Gets a prompt.
pub const GET_PROMPT: &str = "get_prompt";

/// All of these tools.
pub const READERS: [&str; 4] = [LIST_RESOURCES, READ_RESOURCE, LIST_PROMPTS, GET_PROMPT];

/// A field with patterns for what the agent uses of each server: `tools: { time: [get_*] }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternField {
    /// The names of tools.
    Tools,
    /// The URIs of resources.
    Resources,
    /// The names of prompts.
    Prompts,
}

impl PatternField {
    /// All fields.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Resources, Self::Prompts];

    /// The fields that let an agent read what is no tool of the server.
    pub const DATA: [Self; 2] = [Self::Resources, Self::Prompts];

    /// The field.
    pub fn part(self) -> Part {
        match self {
            Self::Tools => Part::Tools,
            Self::Resources => Part::Resources,
            Self::Prompts => Part::Prompts,
        }
    }

    /// The field with a value.
    pub fn example(self) -> &'static str {
        match self {
            Self::Tools => "tools: { time: [get_time] }",
            Self::Resources => "resources: { docs: [\"file:///guide/*\"] }",
            Self::Prompts => "prompts: { docs: [review] }",
        }
    }

    /// The tools that the agent has by this field.
    pub fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Tools => &[],
            Self::Resources => &[LIST_RESOURCES, READ_RESOURCE],
            Self::Prompts => &[LIST_PROMPTS, GET_PROMPT],
        }
    }

    /// The error for a value in another form: without the name of a server.
    pub fn other_form(self) -> String {
        let (chooses, more) = match self {
            Self::Tools => ("chooses among the tools of servers", "; functions belong in `function_tools`"),
            Self::Resources => ("names the URIs of the resources that the agent reads, for each server", ""),
            Self::Prompts => (
                "names the prompts of servers that the agent gets",
                "; the text of the agent's own prompt is `instruction`",
            ),
        };
        format!("`{}` {chooses}: `{}`{more}", self.part(), self.example())
    }

    /// The error for a pattern of `agent!` without quotes that is not a single word with wildcards.
    pub fn unquoted(self) -> &'static str {
        match self {
            Self::Tools => {
                "expected the name of a tool; `*` and `?` are wildcards; write it as a string if it contains anything but these, letters, digits, `_`, `-` and `.`"
            }
            Self::Resources => {
                "write a URI as a string, `\"file:///guide/*\"`: without quotes, its `//` begins a comment"
            }
            Self::Prompts => {
                "expected the name of a prompt; `*` and `?` are wildcards; write it as a string if it contains anything but these, letters, digits, `_`, `-` and `.`"
            }
        }
    }

    /// The error for a list without patterns.
    pub fn no_pattern(self, server: &str) -> String {
        match self {
            Self::Tools => {
                format!(
                    "the list allows no tool of `{server}`; name some, or remove `{server}` from `servers`"
                )
            }
            Self::Resources => {
                format!("the list allows no resource of `{server}`; name some URIs, or remove this")
            }
            Self::Prompts => format!("the list allows no prompt of `{server}`; name some, or remove this"),
        }
    }

    /// The error for a server that is in the field twice.
    pub fn server_twice(self, server: &str) -> String {
        format!("the {} of `{server}` are chosen twice; merge the lists", self.part())
    }
}

/// The error for a pattern that is in a list twice.
pub fn pattern_twice(pattern: &str) -> String {
    format!("`{pattern}` is in the list twice; keep one")
}
