//! What a server offers: tools, resources and prompts.

use onionskin_core::export::ExportOptions;
use onionskin_core::run::RunRequest;
use onionskin_core::{AgentHandle, Args, ToolDefinition, ToolError, ToolOutput};
#[cfg(feature = "skills")]
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{Resource as Listed, Tool};
use serde_json::json;

use crate::error::ServeError;
use crate::prompt::Prompt;
use crate::resource::{Resource, template_mistake};

/// The type of pages that MCP Apps show.
pub(crate) const PAGE_TYPE: &str = "text/html;profile=mcp-app";

/// A source of tools.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// An agent as one tool.
    Agent(AgentHandle),
    /// The tools of an agent, behind its hooks.
    ToolsOf(AgentHandle),
}

impl Source {
    /// The agent.
    pub(crate) fn agent(&self) -> &AgentHandle {
        match self {
            Self::Agent(agent) | Self::ToolsOf(agent) => agent,
        }
    }
}

/// The tool that a name means.
pub(crate) enum Target<'o> {
    /// The agent.
    Agent(&'o AgentHandle),
    /// The agent that has the tool.
    ToolOf(&'o AgentHandle),
}

impl Target<'_> {
    /// The agent whose run the call is.
    pub(crate) fn agent(&self) -> &AgentHandle {
        match self {
            Self::Agent(agent) | Self::ToolOf(agent) => agent,
        }
    }

    /// Prepares a call.
    ///
    /// # Errors
    /// Returns an error for the model that names each wrong argument of an agent.
    pub(crate) fn call(&self, tool: &str, arguments: Args) -> Result<RunRequest<ToolOutput>, ToolError> {
        match self {
            Self::Agent(agent) => agent.call(arguments),
            Self::ToolOf(agent) => Ok(agent.call_tool(tool, arguments)),
        }
    }
}

/// The offer of a server.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    pub(crate) sources: Vec<Source>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) prompts: Vec<Prompt>,
    /// The skills as resources.
    pub(crate) skill_resources: Vec<Listed>,
    /// The skills, if a folder of them is served.
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<SkillCatalog>,
    /// The agent with the tools that write prompts, if there are any.
    pub(crate) writer: Option<AgentHandle>,
}

impl Offer {
    /// The agents that are offered, without those whose tools are.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentHandle> {
        self.sources.iter().filter_map(|source| match source {
            Source::Agent(agent) => Some(agent),
            Source::ToolsOf(_) => None,
        })
    }

    /// The current definitions of all tools, with the source of each, in a fixed order.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn definitions(&self) -> Result<Vec<(ToolDefinition, &Source)>, ServeError> {
        let mut all = Vec::new();
        for source in &self.sources {
            match source {
                Source::Agent(agent) => all.push((agent.definition(), source)),
                Source::ToolsOf(agent) => {
                    let tools = agent
                        .tool_definitions()
                        .map_err(|source| ServeError::List { agent: agent.name().to_owned(), source })?;
                    all.extend(tools.into_iter().map(|tool| (tool, source)));
                }
            }
        }
        Ok(all)
    }

    /// The tools as MCP lists them. A tool that cannot be described is left out with a warning: the others can be used.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn tools(&self) -> Result<Vec<Tool>, ServeError> {
        let definitions = self.definitions()?;
        let tools = definitions.iter().filter_map(|(definition, _)| {
            let tool = export(definition);
            let mut tool = tool.inspect_err(|error| tracing::warn!("{error}; it is not served")).ok()?;
            if definition.page().is_some() {
                let ui = json!({ "resourceUri": page_uri(&definition.name) });
                tool.meta.get_or_insert_default().0.insert("ui".to_owned(), ui);
            }
            Some(tool)
        });
        Ok(tools.collect())
    }

    /// The pages of UI tools: the tools' definitions, and the URIs.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn pages(&self) -> Result<Vec<(ToolDefinition, String)>, ServeError> {
        let definitions = self.definitions()?.into_iter().map(|(definition, _)| definition);
        let with_page = definitions.filter(|definition| definition.page().is_some());
        Ok(with_page
            .map(|definition| {
                let uri = page_uri(&definition.name);
                (definition, uri)
            })
            .collect())
    }

    /// The tool with this name.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Target<'_>>, ServeError> {
        let found = self.definitions()?.into_iter().find(|(definition, _)| &*definition.name == name);
        Ok(found.map(|(_, source)| match source {
            Source::Agent(agent) => Target::Agent(agent),
            Source::ToolsOf(agent) => Target::ToolOf(agent),
        }))
    }

    /// Checks that names are unique and that each tool can be described.
    ///
    /// # Errors
    /// Returns the first problem.
    pub(crate) fn check(&self, server: &str) -> Result<(), ServeError> {
        let (tools, skills) = (self.definitions()?, &self.skill_resources);
        if tools.is_empty() && self.resources.is_empty() && self.prompts.is_empty() && skills.is_empty() {
            return Err(ServeError::Empty { server: server.to_owned() });
        }
        unique(server, "tool", tools.iter().map(|(tool, _)| &*tool.name))?;
        let uris = self.resources.iter().map(Resource::uri);
        unique(server, "resource", uris.chain(skills.iter().map(|skill| &*skill.uri)))?;
        unique(server, "prompt", self.prompts.iter().map(Prompt::name))?;
        let templates = self.resources.iter().filter(|resource| resource.is_template());
        for resource in templates {
            if let Some(reason) = template_mistake(resource.uri()) {
                let (template, reason) = (resource.uri().to_owned(), reason.to_owned());
                return Err(ServeError::Template { template, reason });
            }
        }
        tools.iter().try_for_each(|(tool, _)| export(tool).map(drop))
    }
}

fn unique<'n>(
    server: &str,
    kind: &'static str,
    names: impl Iterator<Item = &'n str>,
) -> Result<(), ServeError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ServeError::Duplicate { server: server.to_owned(), kind, name: name.to_owned() });
        }
    }
    Ok(())
}

/// The URI of the page of a tool, in the scheme of MCP Apps.
fn page_uri(tool: &str) -> String {
    format!("ui://tools/{tool}.html")
}

fn export(definition: &ToolDefinition) -> Result<Tool, ServeError> {
    onionskin_mcp::export_tool(definition, &ExportOptions::new())
        .map_err(|source| ServeError::Tool { tool: definition.name.to_string(), source: Box::new(source) })
}
