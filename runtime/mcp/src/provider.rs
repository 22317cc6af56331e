//! A server's tools as one agent sees them.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::error::McpError;
use super::filter::Filter;
use super::restart::Restart as _;
use super::server::{RemoteTool, Server};
use super::tool::McpTool;
use onionskin_core::DynTool;
use onionskin_core::servers::{BoxError, ToolProvider, ToolServer};
use onionskin_core::text::nearest;

/// An error lists at most this number of tools.
const LISTED: usize = 50;

/// The tools of one server that one agent takes.
pub(super) struct Provider {
    agent: String,
    server: Arc<Server>,
    /// None takes all.
    filter: Option<Filter>,
    told: Mutex<Told>,
}

/// The news that the agent has already received.
struct Told {
    /// The number of the next news of the server.
    news: u64,
    /// The list that idle patterns were looked for in.
    generation: u64,
}

impl Provider {
    /// # Errors
    /// Returns an error if a pattern matches none of the server's tools.
    pub(super) fn new(
        agent: &str,
        server: Arc<Server>,
        patterns: Option<&'static [&'static str]>,
    ) -> Result<Self, McpError> {
        let told = Mutex::new(Told { news: 0, generation: server.generation() });
        let provider = Self { agent: agent.to_owned(), server, filter: patterns.map(Filter::new), told };
        let tools = provider.server.tools();
        match provider.idle(&tools).first() {
            None => Ok(provider),
            Some(pattern) => Err(McpError::NoSuchTool {
                agent: provider.agent,
                server: provider.server.name.to_string(),
                pattern: (*pattern).to_owned(),
                tools: listed(&tools),
                nearest: nearest(pattern, names(&tools)).map(str::to_owned),
            }),
        }
    }

    fn idle(&self, tools: &[RemoteTool]) -> Vec<&'static str> {
        self.filter.as_ref().map(|filter| filter.idle(names(tools)).collect()).unwrap_or_default()
    }
}

impl ToolProvider for Provider {
    fn generation(&self) -> u64 {
        self.server.generation()
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let takes = |tool: &&RemoteTool| self.filter.as_ref().is_none_or(|filter| filter.takes(&tool.name));
        let tool = |tool: &RemoteTool| Arc::new(McpTool::new(Arc::clone(&self.server), tool.clone())) as _;
        self.server.tools().iter().filter(takes).map(tool).collect()
    }

    fn notices(&self) -> Vec<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notices = self.server.news(&mut told.news);
        let generation = self.server.generation();
        if generation != told.generation {
            told.generation = generation;
            for pattern in self.idle(&self.server.tools()) {
                notices.push(format!(
                    "the MCP server `{}` changed its tools: no tool matches `{pattern}` of the agent `{}` any more",
                    self.server.name, self.agent
                ));
            }
        }
        notices
    }
}

/// A server as agents share it.
pub(super) struct SharedServer(pub(super) Arc<Server>);

impl ToolServer for SharedServer {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async { Ok(self.0.start().await?) })
    }

    fn provider(
        &self,
        agent: &str,
        patterns: Option<&'static [&'static str]>,
    ) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Provider::new(agent, Arc::clone(&self.0), patterns)?))
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.shutdown())
    }

    fn kill(&self) {
        self.0.kill();
    }
}

fn names(tools: &[RemoteTool]) -> impl Iterator<Item = &str> + Clone {
    tools.iter().map(|tool| &*tool.name)
}

fn listed(tools: &[RemoteTool]) -> String {
    if tools.is_empty() {
        return "none".to_owned();
    }
    let mut listed = names(tools).take(LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if tools.len() > LISTED {
        listed.push_str(&format!(" and {} more", tools.len() - LISTED));
    }
    listed
}
