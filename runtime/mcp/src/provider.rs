//! A server's tools as one agent sees them.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::argument_names;
use super::drift_policy::{Locks, Offer};
use super::server::{LockedTools, RemoteTool, Server};
use super::server_data::Data;
use super::tool::McpTool;
use crate::mutex::lock;
use onionskin_core::DynTool;
use onionskin_core::servers::{
    BoxError, ProviderRequest, RunHeader, ServerKind, ToolFilter, ToolProvider, ToolServer,
};

/// The tools of one server for one agent.
pub(super) struct Provider {
    server: Arc<Server>,
    /// The number of the next news of the server that the agent has not received.
    news: Mutex<u64>,
    locks: Arc<Locks>,
    /// The tools of the lock file, if the server could not be asked for its own.
    locked: Option<LockedTools>,
    /// The headers of the agent's calls whose values depend on the run.
    headers: Arc<[RunHeader]>,
}

impl ToolProvider for Provider {
    fn generation(&self) -> u64 {
        self.server.generation()
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        // Its number first: a list that comes now makes it an old one.
        let offer = Offer::new(Arc::clone(&self.locks), self.server.generation());
        let tool = |tool: &RemoteTool| -> Arc<dyn DynTool> {
            let has_plain_names = argument_names::renamed(&tool.definition.input_schema).is_empty();
            let made = McpTool::new(Arc::clone(&self.server), tool.clone()).offered(offer.clone());
            let made = made.with_headers(Arc::clone(&self.headers));
            if tool.asks || !has_plain_names { Arc::new(made.spec()) } else { Arc::new(made) }
        };
        if let Some(locked) = &self.locked {
            return locked.listed.iter().map(tool).collect();
        }
        let takes = self.locks.compare(&self.server);
        self.server.tools().iter().filter(|tool| takes(tool)).map(tool).collect()
    }

    fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        self.server.pending_list()
    }

    fn left_out(&self, pattern: &str) -> Option<String> {
        let filter = ToolFilter::new([pattern]);
        if let Some(locked) = &self.locked {
            let mut left_out = locked.left_out.iter();
            let found = left_out.find(|tool| tool.name.as_deref().is_some_and(|name| filter.takes(name)));
            return found.map(|tool| self.server.secrets.hide(&tool.reason));
        }
        let takes = self.locks.compare(&self.server);
        let refused = self.server.left_out();
        let refused = refused.iter().filter_map(|tool| Some((tool.name.as_deref()?, &*tool.reason)));
        let listed = self.server.tools();
        let listed = listed.iter().filter(|tool| !takes(tool));
        let instructing = listed.filter_map(|tool| Some((&*tool.name, tool.instructs.as_deref()?)));
        let found = refused.chain(instructing).find(|(name, _)| filter.takes(name));
        found.map(|(_, reason)| self.server.secrets.hide(reason))
    }

    fn notices(&self) -> Vec<String> {
        self.server.news(&mut lock(&self.news))
    }
}

/// A server as agents share it.
pub(super) struct SharedServer(pub(super) Arc<Server>);

impl SharedServer {
    /// The tools that read data of the server.
    fn readers(&self, data: Data, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let headers: Arc<[RunHeader]> =
            self.0.config.headers_of_agent(&self.0.name, request.headers())?.into();
        let tools = self.0.readers(data, request.filter())?.map(|tool| -> Arc<dyn DynTool> {
            Arc::new(McpTool::new(Arc::clone(&self.0), tool).with_headers(Arc::clone(&headers)).spec())
        });
        Ok(Arc::new(Vec::from(tools)))
    }
}

impl ToolServer for SharedServer {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async { Ok(self.0.start_for_agents().await?) })
    }

    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let locks = Locks::find(&self.0, request)?;
        let headers = self.0.config.headers_of_agent(&self.0.name, request.headers())?;
        let locked = self.0.locked(locks.first(), &headers)?;
        if locked.is_none() {
            locks.hold(&self.0)?;
        }
        let (server, locks) = (Arc::clone(&self.0), Arc::new(locks));
        Ok(Arc::new(Provider { server, news: Mutex::default(), locks, locked, headers: headers.into() }))
    }

    fn resources(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        self.readers(Data::Resources, request)
    }

    fn prompts(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        self.readers(Data::Prompts, request)
    }

    fn kind(&self) -> ServerKind {
        ServerKind::Mcp
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.shutdown())
    }

    fn kill(&self) {
        self.0.kill();
    }
}
