//! The servers that a card can name, and their tools.

use std::collections::BTreeMap;

use onionskin_cards::Locked;

use super::source::Note;
use super::text::beginning;
use crate::failure::Failure;
use crate::program::Program;

/// The servers that a card can name.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Each with its tools, if the lock file has it, or why agents cannot use it.
    pub(super) servers: BTreeMap<String, Result<Option<Vec<String>>, String>>,
    /// The lock file.
    pub(super) file: &'static str,
    /// The command that writes the lock file.
    pub(super) update: String,
}

impl Known {
    /// The servers that `check` finds.
    #[cfg(feature = "mcp")]
    pub(super) fn read(program: &Program) -> Result<Self, Failure> {
        use std::path::Path;

        use onionskin_core::servers::ToolServers;
        use onionskin_mcp::{McpConfig, snapshot::Snapshot};

        use crate::mcp::{CONFIG, LockArguments, ServerArguments, update_command, with_command};

        let of = ServerArguments { servers: Vec::new(), config: None };
        let update = update_command(program, &LockArguments { of, out: Snapshot::FILE.into(), check: false });
        let mut known = Self { file: Snapshot::FILE, update, ..Self::default() };
        if !Path::new(CONFIG).exists() {
            return Ok(known);
        }
        let config = McpConfig::from_file(CONFIG).map_err(Failure::new)?;
        let lock = if Path::new(Snapshot::FILE).exists() {
            Snapshot::read(Snapshot::FILE)
                .map_err(|error| Failure::new(with_command(&error, &known.update)))?
        } else {
            Snapshot::new()
        };
        for name in config.names() {
            let tools =
                lock.tools(name).map(|tools| tools.iter().map(|tool| tool.name().to_owned()).collect());
            let server = ToolServers::server(&config, name).map(|_| tools).map_err(|error| error.to_string());
            known.servers.insert(name.to_owned(), server);
        }
        Ok(known)
    }

    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unnecessary_wraps, reason = "with the feature, files are read")]
    pub(super) fn read(_: &Program) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    /// The tools of a server without those that its lock file does not have; all tools if there are no names.
    ///
    /// # Errors
    /// Returns that no tool is left.
    pub(super) fn with_lock(
        &self,
        server: &str,
        mut names: Vec<String>,
        locked: Option<&[String]>,
        line: usize,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<String>, String> {
        let Some(tools) = locked.filter(|_| !names.is_empty()) else { return Ok(names) };
        let locked = Locked { tools, file: self.file, update: Some(&self.update) };
        names.retain(|name| {
            let mistake = locked.pattern_mistake(name, server);
            let text = |why| format!("the tool `{}` is left out: {why}", beginning(name, 60));
            notes.extend(mistake.as_ref().map(|why| Note::new(line, text(why))));
            mistake.is_none()
        });
        if names.is_empty() {
            return Err(format!(
                "the server `{}` is left out: the card has none of its tools",
                beginning(server, 60)
            ));
        }
        Ok(names)
    }
}
