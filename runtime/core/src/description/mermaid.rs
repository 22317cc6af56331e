//! Describes agents as a Mermaid graph.

use std::fmt::Write as _;

use super::AppDescription;
use onionskin_definitions::definition::ToolSource;

/// The agents, with their children, servers and local tools.
pub(super) fn graph(app: &AppDescription) -> String {
    let mut graph = "graph TD\n".to_owned();
    for (index, agent) in app.agents.iter().enumerate() {
        _ = writeln!(graph, "    agent{index}[\"{}\"]", label(&agent.name));
    }
    let mut servers: Vec<&str> =
        app.agents.iter().flat_map(|agent| &agent.servers).map(String::as_str).collect();
    servers.sort_unstable();
    servers.dedup();
    for (index, server) in servers.iter().enumerate() {
        _ = writeln!(graph, "    server{index}[(\"{}\")]", label(server));
    }
    let mut tools: Vec<&str> = Vec::new();
    for (index, agent) in app.agents.iter().enumerate() {
        for child in &agent.children {
            if let Some(child) = app.agents.iter().position(|agent| agent.name == *child) {
                _ = writeln!(graph, "    agent{index} --> agent{child}");
            }
        }
        for server in &agent.servers {
            if let Some(server) = servers.iter().position(|name| name == server) {
                _ = writeln!(graph, "    agent{index} -.-> server{server}");
            }
        }
        let is_local = |source| matches!(source, ToolSource::Function | ToolSource::Runtime);
        for tool in agent.tools.iter().filter(|tool| is_local(tool.source)) {
            let known = tools.iter().position(|name| *name == tool.name);
            let at = known.unwrap_or(tools.len());
            if known.is_none() {
                _ = writeln!(graph, "    tool{at}([\"{}\"])", label(&tool.name));
                tools.push(&tool.name);
            }
            _ = writeln!(graph, "    agent{index} --> tool{at}");
        }
    }
    graph
}

/// A text in quotes.
fn label(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace(['\n', '\r'], " ")
}
