//! The lists of tools: of the server, of lock files, and ours that read its data.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use onionskin_core::ToolDefinition;
use onionskin_core::servers::{RunHeader, ToolFilter};
use serde_json::Value;

use super::{RemoteTool, Server};
use crate::error::McpError;
use crate::list_tools::{LeftOut, Listed};
use crate::mutex::lock;
use crate::restart::Restart as _;
use crate::server_data::{Data, Reader};
use crate::snapshot::{ServerDrift, SnapshotTool};
use crate::visible::name;
use crate::{convert, file, unconnected};

/// A report of changed tools names so many of each kind.
const MAX_NAMED_CHANGES: usize = 8;

/// The tools of a lock file.
#[derive(Default)]
pub(crate) struct LockedTools {
    pub(crate) listed: Vec<RemoteTool>,
    pub(crate) left_out: Vec<LeftOut>,
}

impl Server {
    /// The tools of a lock file, without those that the configuration takes away. `None` if the server has listed its own.
    ///
    /// # Errors
    /// Returns why they could not be listed, if there is no lock file or calls with these headers of runs have no other credentials, or
    /// which of the file cannot be read.
    pub(crate) fn locked(
        &self,
        locked: Option<&[SnapshotTool]>,
        headers: &[RunHeader],
    ) -> Result<Option<LockedTools>, McpError> {
        let Some(error) = lock(&self.unlisted).clone() else { return Ok(None) };
        if !self.config.depends_on_run(headers) {
            return Err(error);
        }
        let Some(locked) = locked else { return Err(error.not_locked()) };
        let mut tools = LockedTools::default();
        for tool in locked {
            if let Some(field) = self.config.rules.removed_by(&self.name, tool.name()) {
                tools.left_out.push(removed(tool.name(), field));
                continue;
            }
            let read = unconnected::read(Value::Object(tool.fields())).map_err(|error| McpError::List {
                server: self.name.to_string(),
                reason: format!(
                    "the tool `{}` of `{}` cannot be used: {error}",
                    name(tool.name()),
                    file::LOCK_FILE
                ),
                http: None,
            })?;
            tools.listed.push(self.tool(read));
        }
        Ok(Some(tools))
    }

    /// A tool as the server describes it.
    pub(crate) fn tool(&self, tool: rmcp::model::Tool) -> RemoteTool {
        let name: Arc<str> = (&*tool.name).into();
        let definition = convert::definition(&format!("{}__{name}", self.name), tool);
        self.configured(name, self.result_secrets.definition(definition))
    }

    /// A tool with what the configuration says of its calls.
    fn configured(&self, name: Arc<str>, definition: ToolDefinition) -> RemoteTool {
        let definition = if self.config.asks { definition.asks() } else { definition };
        let asks = self.config.rules.asks(&self.name, &name);
        RemoteTool { name, definition, asks, instructs: None, reader: None }
    }

    /// The tools that read such data, as far as the filter takes it.
    ///
    /// # Errors
    /// Returns a reason if the server declares no such data, or if its configuration takes one of the tools away.
    pub(crate) fn readers(&self, data: Data, filter: &ToolFilter) -> Result<[RemoteTool; 2], String> {
        if self.living().is_some_and(|connection| !connection.declares(|server| data.is_declared(server))) {
            return Err(format!("it declares no {}", data.word()));
        }
        let readers = Reader::both(data, filter);
        if let Some((tool, field)) = readers.iter().find_map(|reader| {
            Some((reader.name(), self.config.rules.removed_by(&self.name, reader.name())?))
        }) {
            return Err(format!("`{field}` in the configuration of the server takes `{tool}` away"));
        }
        Ok(readers.map(|reader| {
            let tool = self.configured(reader.name().into(), reader.definition(&self.name));
            RemoteTool { reader: Some(reader), ..tool }
        }))
    }

    /// Takes a list of tools, without those that the configuration takes away. Reports what people should know of it: the tools that
    /// are left out and those whose schemas were rewritten, unless the previous list had the same, and what changed.
    pub(super) fn take(&self, mut listed: Listed) {
        listed.tools.retain(|tool| {
            // Its name would be in each request, in filters and in lists for people.
            let is_secret = self.result_secrets.hide(&*tool.name) != *tool.name;
            if is_secret {
                let reason =
                    "a tool is left out: its name contains the value of a secret variable".to_owned();
                listed.refused.push(LeftOut { name: None, reason });
            }
            !is_secret
        });
        for notice in listed.cleaned {
            self.note(&format!("the MCP server `{}`: {notice}", self.name));
        }
        let names: Vec<_> = listed.tools.iter().map(|tool| &*tool.name).collect();
        for notice in self.config.rules.notices(&self.name, &names) {
            self.note(&notice);
        }
        let is_undeclared = listed.is_undeclared;
        let mut left_out = listed.refused;
        let mut odd: Vec<_> =
            left_out.iter().map(|tool| tool.reason.clone()).chain(listed.rewritten).collect();
        let mut tools = Vec::new();
        for tool in listed.tools {
            if let Some(field) = self.config.rules.removed_by(&self.name, &tool.name) {
                left_out.push(removed(&tool.name, field));
                continue;
            }
            let place = listed.instructing.get(&*tool.name);
            let instructs = place.map(|place| instructs(&tool.name, place));
            odd.extend(instructs.clone());
            tools.push(RemoteTool { instructs: instructs.map(Into::into), ..self.tool(tool) });
        }
        let known = std::mem::replace(&mut *lock(&self.odd), odd.clone());
        if known != odd {
            self.report_odd(&odd);
        }
        *lock(&self.left_out) = left_out.into();
        let tools: Arc<[RemoteTool]> = tools.into();
        if is_undeclared {
            self.report_undeclared(tools.len());
        }
        let before = std::mem::replace(&mut *lock(&self.tools), Arc::clone(&tools));
        let is_first = self.generation.fetch_add(1, Ordering::Release) == 0;
        let snapshot = |tools: &[RemoteTool]| {
            tools.iter().map(|tool| SnapshotTool::new(&tool.name, &tool.definition)).collect::<Vec<_>>()
        };
        if !is_first
            && let Some(drift) = ServerDrift::between(&self.name, &snapshot(&before), &snapshot(&tools))
        {
            let changes = self.secrets.hide(drift.changes(MAX_NAMED_CHANGES));
            self.report(format!("the MCP server `{}` changed its tools: {changes}", self.name));
        }
    }
}

/// A tool that the configuration takes away.
fn removed(tool: &str, field: &str) -> LeftOut {
    let reason = format!(
        "the tool `{}` is left out: `{field}` in the configuration of the server takes it away",
        name(tool)
    );
    LeftOut { name: Some(tool.to_owned()), reason }
}

/// The message about a tool with other instructions at this place.
fn instructs(tool: &str, place: &str) -> String {
    format!(
        "the tool `{}` tries to give the model other instructions, in {place}. Agents get it only if `{}` has it as it is: \
         read it with `onionskin mcp list --json`, and keep it with `onionskin mcp lock`",
        name(tool),
        file::LOCK_FILE
    )
}
