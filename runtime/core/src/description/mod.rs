//! Descriptions of agents, as data and as pages.

mod markdown;
mod mermaid;

use serde::Serialize;
use serde_json::Value;

use onionskin_definitions::definition::{Effect, ToolSource, UiMode};

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
    /// The name of the type of its answers, if they have one.
    pub answer: Option<String>,
    /// The JSON Schema of its answers, if they have a type.
    pub answer_schema: Option<Value>,
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
    /// Whether a call can need approval. A tool that can ask a person other questions too has [`questions`](Self::questions).
    pub approval: bool,
    /// Whether a call can ask a person questions.
    pub questions: bool,
    /// The component that it shows to a person, if it is a UI tool.
    pub component: Option<String>,
    /// Where the component is shown: `inline` or `artifact`.
    pub mode: Option<UiMode>,
    /// The hooks around it, the outermost first: those of the agent, then the tool's own.
    pub hooks: Vec<String>,
    /// The guardrails on its arguments, in the order in which they run: those of the agent, then the tool's own.
    pub input_guardrails: Vec<String>,
    /// The guardrails on its results, in the order in which they run: the tool's own, then those of the agent.
    pub output_guardrails: Vec<String>,
    /// Whether its results are cached.
    pub is_cached: bool,
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
