//! What a server offers: tools, resources and prompts.

use std::sync::Arc;

use onionskin_core::run::RunRequest;
use onionskin_core::{AgentHandle, Args, ToolDefinition, ToolError, ToolOutput};
#[cfg(feature = "skills")]
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{Icon, Resource as Listed};

use crate::error::ServeError;
use crate::prompt::Prompt;
use crate::resource::{Resource, template_mistake};
use crate::tools::{Lists, Prepared, Tools, export};

/// A source of tools.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// An agent as one tool, which never changes.
    Agent(AgentHandle, Arc<[ToolDefinition]>),
    /// The tools of an agent, behind its hooks.
    ToolsOf(AgentHandle),
}

impl Source {
    /// An agent as one tool.
    pub(crate) fn agent_as_tool(agent: &AgentHandle) -> Self {
        Self::Agent(agent.clone(), [agent.definition()].into())
    }

    /// The agent.
    pub(crate) fn agent(&self) -> &AgentHandle {
        match self {
            Self::Agent(agent, _) | Self::ToolsOf(agent) => agent,
        }
    }

    /// The current definitions of its tools.
    ///
    /// # Errors
    /// Returns an error if they cannot be listed.
    fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ServeError> {
        match self {
            Self::Agent(_, definition) => Ok(Arc::clone(definition)),
            Self::ToolsOf(agent) => agent
                .tool_definitions()
                .map_err(|source| ServeError::List { agent: agent.name().to_owned(), source }),
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
    /// Icons of tools, by the tools' names.
    pub(crate) icons: Vec<(String, Icon)>,
    /// The agent with the tools that write prompts, if there are any.
    pub(crate) writer: Option<AgentHandle>,
    pub(crate) prepared: Prepared,
}

impl Offer {
    /// The agents that are offered, without those whose tools are.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentHandle> {
        self.sources.iter().filter_map(|source| match source {
            Source::Agent(agent, _) => Some(agent),
            Source::ToolsOf(_) => None,
        })
    }

    /// The current tools.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn tools(&self) -> Result<Arc<Tools>, ServeError> {
        let lists = self.sources.iter().map(Source::definitions).collect::<Result<Lists, _>>()?;
        Ok(self.prepared.tools(lists, &self.icons))
    }

    /// The tool with this name.
    ///
    /// # Errors
    /// Returns an error if a source of tools fails.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Target<'_>>, ServeError> {
        let source = self.tools()?.source(name).and_then(|source| self.sources.get(source));
        Ok(source.map(|source| match source {
            Source::Agent(agent, _) => Target::Agent(agent),
            Source::ToolsOf(agent) => Target::ToolOf(agent),
        }))
    }

    /// Checks that names are unique and that each tool can be described.
    ///
    /// # Errors
    /// Returns the first problem.
    pub(crate) fn check(&self, server: &str) -> Result<(), ServeError> {
        let (tools, skills) = (self.tools()?, &self.skill_resources);
        let has_tools = tools.definitions().next().is_some();
        if !has_tools && self.resources.is_empty() && self.prompts.is_empty() && skills.is_empty() {
            return Err(ServeError::Empty { server: server.to_owned() });
        }
        unique(server, "tool", tools.definitions().map(|tool| &*tool.name))?;
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
        for (tool, icon) in &self.icons {
            let of = format!("the tool `{tool}`");
            if tools.source(tool).is_none() {
                return Err(ServeError::Icon { of, reason: "the server has no such tool" });
            }
            check_icon(&of, icon)?;
        }
        tools.definitions().try_for_each(|tool| export(tool).map(drop))
    }
}

/// Checks the address of an icon: clients refuse others.
///
/// # Errors
/// Returns an error if it is none.
pub(crate) fn check_icon(of: &str, icon: &Icon) -> Result<(), ServeError> {
    if icon.src.starts_with("https://") || icon.src.starts_with("data:image/") {
        return Ok(());
    }
    let reason = "its address begins with neither `https://` nor `data:image/`";
    Err(ServeError::Icon { of: of.to_owned(), reason })
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
