//! Builds servers.

#[cfg(feature = "skills")]
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use onionskin_core::declaration::{AgentDeclaration, DynAgent};
use onionskin_core::question::SealKey;
use onionskin_core::spec::ToolValue;
use onionskin_core::{AgentHandle, App, ScriptedModel, ToolSpec};
use rmcp::model::{Icon, Implementation};

use crate::changes::Changes;
use crate::error::ServeError;
use crate::offer::{Offer, Source, check_icon};
use crate::parts::Parts;
use crate::prompt::{MessageSource, Prompt};
use crate::resource::Resource;
use crate::server::Server;
#[cfg(feature = "skills")]
use crate::skills;
use crate::state::{DEFAULT_TTL, StateKeeper, random};

/// The time that a client has for the answer to a question while its call waits.
const DEFAULT_QUESTION_TIMEOUT: Duration = Duration::from_mins(10);
/// The time after which a call becomes a task.
const DEFAULT_TASK_AFTER: Duration = Duration::from_secs(5);

/// Builds a [`Server`]. Created by [`Server::builder`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ServerBuilder {
    implementation: Implementation,
    instructions: Option<String>,
    offer: Offer,
    tools: Vec<ToolSpec>,
    #[cfg(feature = "skills")]
    skills: Option<PathBuf>,
    key: Option<SealKey>,
    question_timeout: Duration,
    task_after: Duration,
    list_ttl: Duration,
}

impl Server {
    /// Creates a builder of a server with this name and version, which clients show.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }
}

impl ServerBuilder {
    fn new(name: String, version: String) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            instructions: None,
            offer: Offer::default(),
            tools: Vec::new(),
            #[cfg(feature = "skills")]
            skills: None,
            key: None,
            question_timeout: DEFAULT_QUESTION_TIMEOUT,
            task_after: DEFAULT_TASK_AFTER,
            list_ttl: Duration::ZERO,
        }
    }

    /// Sets the name that clients show to people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation.title = Some(title.into());
        self
    }

    /// Adds an icon that clients show for the server: an address with `https:`, or a URI with `data:image/` that has the picture.
    pub fn icon(mut self, src: impl Into<String>) -> Self {
        self.implementation.icons.get_or_insert_default().push(Icon::new(src));
        self
    }

    /// Adds an icon that clients show for the tool with this name, as [`Self::icon`].
    ///
    /// ```
    /// use onionskin::serve::Server;
    /// use onionskin::tool;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// let server = Server::builder("sums", "1.0.0")
    ///     .tool(add_one::spec())
    ///     .tool_icon("add_one", "https://sums.example.com/plus.png");
    /// # let _ = server;
    /// ```
    pub fn tool_icon(mut self, tool: impl Into<String>, src: impl Into<String>) -> Self {
        self.offer.icons.push((tool.into(), Icon::new(src)));
        self
    }

    /// Sets a text that tells the models of clients how to use the server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Offers an agent as a tool, under its name. Its arguments are its typed input, or one text `input`.
    pub fn agent(mut self, agent: &AgentHandle) -> Self {
        self.offer.sources.push(Source::agent_as_tool(agent));
        self
    }

    /// Offers all agents of an app, each as a tool.
    pub fn app(mut self, app: &App) -> Self {
        let agents = app.agents().filter_map(|name| app.agent(name).ok());
        self.offer.sources.extend(agents.map(Source::agent_as_tool));
        self
    }

    /// Offers the tools of an agent, behind its hooks and guardrails and with its limits: functions, toolboxes, children, and the tools
    /// of its own servers. The model of the agent is not asked, and the agent itself is not offered.
    ///
    /// ```
    /// use onionskin::serve::Server;
    /// use onionskin::{ScriptedModel, agent, tool};
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// agent! { Desk { instruction: "Add.", function_tools: [add_one] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let desk = Desk::builder().model(ScriptedModel::new()).build().await.unwrap();
    /// let server = Server::builder("desk", "1.0.0").tools_of(&desk).build().await.unwrap();
    /// # let _ = server;
    /// # });
    /// ```
    pub fn tools_of(mut self, agent: &AgentHandle) -> Self {
        self.offer.sources.push(Source::ToolsOf(agent.clone()));
        self
    }

    /// Offers one tool. A tool that takes services or a typed state belongs to an agent: [`Self::tools_of`].
    pub fn tool(mut self, tool: impl ToolValue) -> Self {
        self.tools.push(tool.tool_value());
        self
    }

    /// Offers a resource, or a template of resources.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.offer.resources.push(resource);
        self
    }

    /// Offers the skills of a folder: each folder in it that has a `SKILL.md`, in the format of <https://agentskills.io>. Clients list them
    /// with the extension `io.modelcontextprotocol/skills` (SEP-2640), or read their files as the resources `skill://NAME/SKILL.md`. The
    /// files are read when the server is built. Feature `skills`.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, folder: impl Into<PathBuf>) -> Self {
        self.skills = Some(folder.into());
        self
    }

    /// Offers a prompt.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.offer.prompts.push(prompt);
        self
    }

    /// Sets the key of sessions, and of the states of calls that wait for answers. Several processes of one server need the same key: then
    /// the next request of a client may reach another one. Each process accepts a state once. Without it, the key is made when the server is built, so a restart loses
    /// sessions and calls that wait.
    pub fn key(mut self, key: SealKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Sets the time that a client has for the answer to a question while its call waits (up to the protocol 2025-11-25). The default
    /// is 10 minutes.
    pub fn question_timeout(mut self, timeout: Duration) -> Self {
        self.question_timeout = timeout;
        self
    }

    /// Sets the time after which the call of a tool becomes a task, for clients that have tasks (`io.modelcontextprotocol/tasks`). The
    /// default is 5 seconds. The client then asks for the state of the task, and a connection that ends does not end it. If the agent has a
    /// [journal](onionskin_core::journal::Journal), a task goes on in the next process with the same journal.
    pub fn task_after(mut self, time: Duration) -> Self {
        self.task_after = time;
        self
    }

    /// Sets the time for which a client may use a list of tools, resources or prompts before it asks again (from the protocol 2026-07-28 on,
    /// SEP-2549). By default it asks each time. A client that listens for changes hears of them earlier.
    pub fn list_ttl(mut self, time: Duration) -> Self {
        self.list_ttl = time;
        self
    }

    /// Builds the server.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns an error if the server offers nothing, if two of its tools, resources or prompts have one name, or if a tool, an icon or the
    /// folder of skills cannot be served.
    pub async fn build(self) -> Result<Server, ServeError> {
        let Self {
            implementation,
            instructions,
            mut offer,
            tools,
            key,
            question_timeout,
            task_after,
            list_ttl,
            ..
        } = self;
        #[cfg(feature = "skills")]
        if let Some(folder) = self.skills {
            let skills = skills::read(folder).await?;
            offer.skill_resources = skills.resources();
            offer.skills = Some(skills);
        }
        if !tools.is_empty() {
            let agent = host(&implementation.name, tools).await?;
            offer.sources.insert(0, Source::ToolsOf(agent));
        }
        let writers = offer.prompts.iter().filter_map(|prompt| match prompt.source() {
            MessageSource::Tool(tool) => Some(tool.clone()),
            MessageSource::Function(_) | MessageSource::Agent(_) => None,
        });
        let writers: Vec<_> = writers.collect();
        if !writers.is_empty() {
            offer.writer = Some(host(&implementation.name, writers).await?);
        }
        offer.check(&implementation.name)?;
        implementation.icons.iter().flatten().try_for_each(|icon| check_icon("the server", icon))?;
        let has_shared_key = key.is_some();
        let key = match key {
            Some(key) => key.derive(b"onionskin serve 1"),
            None => {
                let mut key = [0; 32];
                random(&mut key)?;
                key
            }
        };
        Ok(Server::new(Parts {
            implementation,
            instructions,
            offer: RwLock::new(Arc::new(offer)),
            states: StateKeeper::new(&purpose(&key, b"state"), DEFAULT_TTL),
            question_timeout,
            session_key: purpose(&key, b"session"),
            has_shared_key,
            changes: Changes::default(),
            tasks: Arc::default(),
            task_after,
            list_ttl,
        }))
    }
}

/// A key of its own for each purpose.
fn purpose(key: &[u8; 32], purpose: &[u8]) -> [u8; 32] {
    hmac_sha256::HMAC::mac(purpose, key)
}

/// An agent that has tools and never runs: the place of tools that were added as values.
async fn host(server: &str, tools: Vec<ToolSpec>) -> Result<AgentHandle, ServeError> {
    let name: String =
        server.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let agent = DynAgent::new(name.clone(), move || {
        let declaration = AgentDeclaration::new().instruction("Serve.");
        tools.iter().fold(declaration, |declaration, tool| declaration.tool_value(tool.clone()))
    });
    let app = App::builder().dyn_agent(&agent).model(ScriptedModel::new()).build().await?;
    Ok(app.entry().clone())
}
