//! What MCP servers offer, kept in a file beside `Cargo.toml`: `onionskin-mcp.lock.json`.
//!
//! `onionskin mcp lock` writes the file. With it in the package, the compiler checks the names of tools in `agent!`, `onionskin check`
//! those in cards and workflow folders, and an agent reports how its servers differ from it, in a warning and in a notice event. The file has the names, titles, descriptions, hints and schemas of
//! tools; it has no command, no variable and no address of a server, and values of configured variables are hidden in it.
//!
//! ```
//! use onionskin::mcp::McpConfig;
//! use onionskin::mcp::snapshot::Snapshot;
//! use onionskin::testing::FakeServer;
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let folder = std::env::temp_dir().join(format!("onionskin-snapshot-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let time = FakeServer::new().tool(json!({"name": "get_time", "description": "Tells the time."}), |_| "noon".into());
//! let mut config = McpConfig::new();
//! config.insert("time", time.config());
//!
//! let file = folder.join(Snapshot::FILE);
//! let taken = Snapshot::take(&config).await?;
//! taken.snapshot.write(&file)?;
//!
//! let locked = Snapshot::read(&file)?;
//! assert!(locked.drift(&taken.snapshot).is_empty());
//! let spec = locked.tool_spec("time", "get_time").unwrap()?;
//! assert_eq!(spec.description(), "Tells the time.");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod drift;
mod error;
mod format;
#[cfg(test)]
mod tests;
mod tool;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use onionskin_core::ToolSpec;
use onionskin_core::spec::SpecError;

pub use drift::{Drift, ServerDrift, ToolDrift};
pub use error::{SnapshotError, TakeError};
pub use tool::SnapshotTool;

pub(super) use drift::REPORTED;

use super::file;
use super::unconnected::unconnected;

/// The tools of servers, as they were when the snapshot was taken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    pub(super) servers: BTreeMap<String, Vec<SnapshotTool>>,
}

/// A snapshot, and the messages of its servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SnapshotReport {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Messages for people: the tools that are left out because no agent could use them, and unread fields of the configuration.
    pub notices: Vec<String>,
}

impl Snapshot {
    /// The name of the file.
    pub const FILE: &'static str = file::LOCK_FILE;

    /// A larger file is refused.
    pub const MOST_BYTES: usize = 8 << 20;

    /// Makes a snapshot without servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, has more than [`Self::MOST_BYTES`], is of a later version, or is not a
    /// snapshot: [`SnapshotError`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SnapshotError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = file::text(path, Self::MOST_BYTES)
            .map_err(|reason| SnapshotError::Read { file: name.clone(), reason })?;
        Self::from_json(&text, &name)
    }

    /// Reads the text of a file. Errors name `file` as its place; no file is read.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_json(text: &str, file: &str) -> Result<Self, SnapshotError> {
        format::read(text, file).map(|servers| Self { servers })
    }

    /// The text of the file. Servers, tools and the keys of objects are sorted, so that equal snapshots have equal texts.
    pub fn to_json(&self) -> String {
        format::write(&self.servers)
    }

    /// Writes the file, unless it has this text already. Another program sees the former file or the new one, and no part of one.
    /// Returns whether the file changed.
    ///
    /// A path that is a link is refused: the file behind it may be anyone's.
    ///
    /// # Errors
    /// Returns an error if the path is a link, if the file cannot be written, or if it could not be read again: see [`Self::read`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<bool, SnapshotError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        if std::fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
            let reason = "it is a link; write to the file itself, or remove the link".to_owned();
            return Err(SnapshotError::Write { file, reason });
        }
        let text = self.to_json();
        Self::from_json(&text, &file)?;
        let is_as_long = |there: std::fs::Metadata| there.is_file() && there.len() == text.len() as u64;
        if std::fs::metadata(path).is_ok_and(is_as_long)
            && std::fs::read(path).is_ok_and(|there| there == text.as_bytes())
        {
            return Ok(false);
        }
        write::atomically(path, text.as_bytes())
            .map_err(|error| SnapshotError::Write { file, reason: error.to_string() })?;
        Ok(true)
    }

    /// The names of the servers.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The tools of a server, sorted by name; `None` if the snapshot does not have the server.
    pub fn tools(&self, server: &str) -> Option<&[SnapshotTool]> {
        self.servers.get(server).map(Vec::as_slice)
    }

    /// A tool of a server, by the server's own name for it; `None` if the snapshot does not have it. The tool is described and
    /// exported without a connection. Its calls end with [`NotConnected`](crate::NotConnected). Its parameters are in the order of
    /// the file, which is alphabetical.
    ///
    /// # Errors
    /// The tool is an error if its schemas cannot be used.
    pub fn tool_spec(&self, server: &str, tool: &str) -> Option<Result<ToolSpec, SpecError>> {
        let tool = self.tools(server)?.iter().find(|known| known.name() == tool)?;
        Some(unconnected(Some(server), serde_json::Value::Object(tool.fields())))
    }

    /// All tools of a server, each as [`Self::tool_spec`] gives it; `None` if the snapshot does not have the server.
    ///
    /// # Errors
    /// The list is an error if the schemas of a tool cannot be used.
    pub fn tool_specs(&self, server: &str) -> Option<Result<Vec<ToolSpec>, SpecError>> {
        let specs = self.tools(server)?.iter();
        Some(specs.map(|tool| unconnected(Some(server), serde_json::Value::Object(tool.fields()))).collect())
    }

    /// Adds the servers of another snapshot. They replace servers of the same name.
    pub fn extend(&mut self, other: Self) {
        self.servers.extend(other.servers);
    }

    /// Keeps the servers whose names are accepted.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.servers.retain(|name, _| keep(name));
    }

    /// How servers differ from this snapshot, if `now` is what they offer now.
    pub fn drift(&self, now: &Self) -> Drift {
        Drift::between(&self.servers, &now.servers)
    }
}
