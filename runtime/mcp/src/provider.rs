//! A server's tools as one agent sees them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::argument_names;
use super::error::McpError;
use super::restart::Restart as _;
use super::server::{RemoteTool, Server};
use super::snapshot::{self, REPORTED, ServerDrift, Snapshot, SnapshotTool};
use super::tool::McpTool;
use onionskin_core::DynTool;
use onionskin_core::servers::{BoxError, ProviderRequest, ServerKind, ToolFilter, ToolProvider, ToolServer};

/// The tools of one server for one agent.
pub(super) struct Provider {
    server: Arc<Server>,
    /// The number of the next news of the server that the agent has not received.
    news: Mutex<u64>,
    locks: Locks,
}

impl ToolProvider for Provider {
    fn generation(&self) -> u64 {
        self.server.generation()
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let takes = self.locks.compare(&self.server);
        let tool = |tool: &RemoteTool| -> Arc<dyn DynTool> {
            let has_plain_names = argument_names::renamed(&tool.definition.input_schema).is_empty();
            let made = McpTool::new(Arc::clone(&self.server), tool.clone());
            if tool.asks || !has_plain_names { Arc::new(made.spec()) } else { Arc::new(made) }
        };
        self.server.tools().iter().filter(|tool| takes(tool)).map(tool).collect()
    }

    fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        self.server.pending_list()
    }

    fn left_out(&self, pattern: &str) -> Option<String> {
        let (takes, filter) = (self.locks.compare(&self.server), ToolFilter::new([pattern]));
        let refused = self.server.left_out();
        let refused = refused.iter().filter_map(|tool| Some((tool.name.as_deref()?, &*tool.told)));
        let listed = self.server.tools();
        let listed = listed.iter().filter(|tool| !takes(tool));
        let instructing = listed.filter_map(|tool| Some((&*tool.name, tool.instructs.as_deref()?)));
        let found = refused.chain(instructing).find(|(name, _)| filter.takes(name));
        found.map(|(_, told)| self.server.secrets.hide(told))
    }

    fn notices(&self) -> Vec<String> {
        self.server.news(&mut self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the lock files keep of a server. A server that a file does not have is one that nobody locked.
struct Locks {
    files: Vec<Vec<SnapshotTool>>,
    is_strict: bool,
}

impl Locks {
    fn of(server: &Server, request: &ProviderRequest<'_>) -> Result<Self, BoxError> {
        let mut snapshots = Vec::new();
        if let Some(text) = request.snapshot() {
            snapshots.push(Snapshot::from_json(text, Snapshot::FILE)?);
        }
        // Of a server in code, and an agent that nothing was compiled into, such as one of a loaded card: the file where a `.mcp.json` would be.
        let in_directory = request.snapshot().is_none().then(|| Path::new(Snapshot::FILE));
        // One that cannot be looked at is an error of reading.
        let beside = server.config.lock_file.as_deref().or(in_directory);
        if let Some(file) = beside.filter(|file| file.try_exists().unwrap_or(true)) {
            snapshots.push(Snapshot::read(file)?);
        }
        let mut files: Vec<_> =
            snapshots.iter().filter_map(|snapshot| Some(snapshot.tools(&server.name)?.to_vec())).collect();
        files.dedup();
        let is_strict = request.is_lock_strict();
        if is_strict && files.is_empty() {
            return Err(McpError::Unlocked { server: server.name.to_string() }.into());
        }
        Ok(Self { files, is_strict })
    }

    /// How the server differs from each of the files.
    fn drifts(&self, server: &Arc<Server>) -> Vec<ServerDrift> {
        if self.files.is_empty() {
            return Vec::new();
        }
        let now = snapshot::tools(server);
        self.files.iter().filter_map(|then| ServerDrift::between(&server.name, then, &now)).collect()
    }

    /// Reports once how the tools that the server listed last differ. Returns which of them the agent takes.
    fn compare(&self, server: &Arc<Server>) -> impl Fn(&RemoteTool) -> bool + use<> {
        let drifts = self.drifts(server);
        for drift in &drifts {
            let mut text = drift.report();
            if self.is_strict {
                text.push_str(
                    "; with `lock: strict`, agents do not get the tools that were added or changed",
                );
            }
            let text = server.secrets.hide(text);
            if server.tell_once(&text) {
                let [added, removed, changed] =
                    drift.listed(REPORTED).map(|tools| server.secrets.hide(tools.join(", ")));
                tracing::warn!(server = &*server.name, added, removed, changed, "{text}");
            }
        }
        let (is_strict, is_locked) = (self.is_strict, !self.files.is_empty());
        move |tool| {
            let is_as_locked = is_locked && drifts.iter().all(|drift| drift.leaves(&tool.name));
            is_as_locked || (!is_strict && tool.instructs.is_none())
        }
    }

    /// # Errors
    /// Returns an error if the lock is strict and the server differs.
    fn hold(&self, server: &Arc<Server>) -> Result<(), McpError> {
        match self.drifts(server).first().filter(|_| self.is_strict) {
            Some(drift) => Err(McpError::Drifted {
                server: server.name.to_string(),
                drift: server.secrets.hide(drift.report()),
            }),
            None => Ok(()),
        }
    }
}

/// A server as agents share it.
pub(super) struct SharedServer(pub(super) Arc<Server>);

impl ToolServer for SharedServer {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async { Ok(self.0.start().await?) })
    }

    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let locks = Locks::of(&self.0, request)?;
        locks.hold(&self.0)?;
        Ok(Arc::new(Provider { server: Arc::clone(&self.0), news: Mutex::default(), locks }))
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
