//! Descriptions of agents, as data and as pages.

mod markdown;
mod mermaid;

use serde::Serialize;
use serde_json::Value;

use onionskin_definitions::definition::{Effect, ToolSource};

/// The agents of an app. Created by [`App::describe`](crate::App::describe). Serialise it to get JSON for
/// programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AppDescription {
    /// The agents, the entry agent first.
    pub agents: Vec<AgentDescription>,
}

/// An agent. Created by [`AgentHandle::describe`](crate::AgentHandle::describe).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentDescription {
    /// Its name.
    pub name: String,
    /// The text by which parents choose it.
    pub description: Option<String>,
    /// The name of its model, if it is asked by name.
    pub model: Option<String>,
    /// Its tools. The tools of servers are those at the time of the description.
    pub tools: Vec<ToolDescription>,
    /// The names of its children.
    pub children: Vec<String>,
    /// The names of its servers.
    pub servers: Vec<String>,
    /// The hooks around its runs, in the order in which they run.
    pub run_hooks: Vec<String>,
    /// The hooks around its turns, in the order in which they run.
    pub turn_hooks: Vec<String>,
    /// The hooks on its messages, in the order in which they run.
    pub message_hooks: Vec<String>,
}

/// A tool of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolDescription {
    /// Its name, as the model sees it.
    pub name: String,
    /// Where it comes from.
    pub source: ToolSource,
    /// Its server, if it has one.
    pub server: Option<String>,
    /// Its description.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of its result, if it has one.
    pub output_schema: Option<Value>,
    /// Whether a call can be repeated.
    pub effect: Effect,
    /// The agent's hooks around it, the outermost first. A tool's own hooks are inside them.
    pub hooks: Vec<String>,
    /// The agent's guardrails on its arguments, in the order in which they run. They are inside these hooks,
    /// and outside the tool's own.
    pub input_guardrails: Vec<String>,
    /// The agent's guardrails on its results, in the order in which they run.
    pub output_guardrails: Vec<String>,
}

impl AppDescription {
    /// A reference of the agents in Markdown, with the hooks around each tool and the graph.
    pub fn to_markdown(&self) -> String {
        markdown::page(self)
    }

    /// A graph of the agents, their tools and their servers, for [Mermaid](https://mermaid.js.org/syntax/flowchart.html).
    pub fn to_mermaid(&self) -> String {
        mermaid::graph(self)
    }
}
