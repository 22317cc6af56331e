//! What becomes of the tools of a server that differ from its lock files: reported, left out, or refused.

use std::path::Path;
use std::sync::Arc;

use super::error::McpError;
use super::file;
use super::server::{RemoteTool, Server};
use super::snapshot::{REPORTED, ServerDrift, Snapshot, SnapshotTool};
use super::take_snapshot;
use onionskin_core::servers::{BoxError, ProviderRequest};
use onionskin_core::{ErrorKind, Exit, ToolError};

/// What the lock files keep of a server. A server that a file does not have is one that nobody locked.
pub(super) struct Locks {
    files: Vec<Vec<SnapshotTool>>,
    is_strict: bool,
}

impl Locks {
    pub(super) fn find(server: &Server, request: &ProviderRequest<'_>) -> Result<Self, BoxError> {
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
            return Err(McpError::unlocked(&*server.name).into());
        }
        Ok(Self { files, is_strict })
    }

    /// The tools of the server in the first file.
    pub(super) fn first(&self) -> Option<&[SnapshotTool]> {
        self.files.first().map(Vec::as_slice)
    }

    /// How the server differs from each of the files.
    fn drifts(&self, server: &Arc<Server>) -> Vec<ServerDrift> {
        if self.files.is_empty() {
            return Vec::new();
        }
        let now = take_snapshot::tools(server);
        self.files.iter().filter_map(|then| ServerDrift::between(&server.name, then, &now)).collect()
    }

    /// Reports once how the tools that the server listed last differ. Returns which of them the agent takes.
    pub(super) fn compare(&self, server: &Arc<Server>) -> impl Fn(&RemoteTool) -> bool + use<> {
        let drifts = self.drifts(server);
        for drift in &drifts {
            let mut text = drift.report();
            if self.is_strict {
                text.push_str(
                    "; with `lock: strict`, agents do not get the tools that were added or changed",
                );
            }
            let text = server.secrets.hide(text);
            if server.report_once(&text) {
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
    pub(super) fn hold(&self, server: &Arc<Server>) -> Result<(), McpError> {
        match self.drifts(server).first().filter(|_| self.is_strict) {
            Some(drift) => Err(McpError::Drifted {
                server: server.name.to_string(),
                drift: server.secrets.hide(drift.report()),
            }),
            None => Ok(()),
        }
    }
}

/// The list of tools that an agent was offered.
#[derive(Clone)]
pub(super) struct Offer {
    locks: Arc<Locks>,
    /// The number of the list.
    generation: u64,
}

impl Offer {
    pub(super) fn new(locks: Arc<Locks>, generation: u64) -> Self {
        Self { locks, generation }
    }

    /// Looks at the tool of a call, before the call is sent, if the server has listed its tools again since: it may have been started again,
    /// or have changed them.
    ///
    /// # Errors
    /// Returns an error for the model if the agent may not have the tool any more, or if another effect was offered and approved.
    ///
    /// `is_shared` says that the list is the one that was offered. A connection with the credentials of a run has a list of its own.
    pub(super) async fn holds(
        &self,
        server: &Arc<Server>,
        tool: &RemoteTool,
        is_shared: bool,
    ) -> Result<(), Exit> {
        let refuse = |reason: &str| {
            let text = format!(
                "the call of `{}` was not sent to the MCP server `{}`: {reason}",
                tool.definition.name, server.name
            );
            Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied)))
        };
        if self.locks.is_strict
            && let Some(list) = server.pending_list()
        {
            list.await;
            if server.pending_list().is_some() {
                return refuse("it announced other tools and has not listed them; try again later");
            }
        }
        if is_shared && server.generation() == self.generation {
            return Ok(());
        }
        let listed = server.tools();
        let Some(now) = listed.iter().find(|now| now.name == tool.name) else {
            // Without a strict lock, the server itself says that it has no such tool.
            return if self.locks.is_strict {
                refuse("the server does not list it any more")
            } else {
                Ok(())
            };
        };
        let is_compared = is_shared || self.locks.is_strict || now.instructs.is_some();
        if is_compared && !self.locks.compare(server)(now) {
            let reason = if self.locks.is_strict {
                format!("the server has changed it, and `{}` has it otherwise", file::LOCK_FILE)
            } else {
                "the server has changed it, and it tries to give the model other instructions now".to_owned()
            };
            return refuse(&reason);
        }
        if now.definition.annotations != tool.definition.annotations {
            return refuse(
                "the server has changed what it says of the tool's effects; the next turn has the tool as it is now",
            );
        }
        Ok(())
    }
}
