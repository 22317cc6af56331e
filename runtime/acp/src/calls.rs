//! The calls of a conversation under the ids that the client knows.

use std::collections::HashMap;

use agent_client_protocol::v1::schema::{ToolCallId, ToolKind};
use onionskin_core::definition::ToolSource;
use serde_json::Value;

/// The ids of calls. Those of the model are unique within one agent's conversation only, and calls of children are shown too.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    /// Those of the run in progress, or of the one that waits for an answer: it shows its calls again when it is resumed.
    current: HashMap<(String, String), ToolCallId>,
    count: u64,
}

impl CallIds {
    /// The id of a call, by the run that makes it and the model's id; and whether the client does not know it yet.
    pub(crate) fn id(&mut self, scope: &str, call_id: &str) -> (ToolCallId, bool) {
        let key = (scope.to_owned(), call_id.to_owned());
        if let Some(id) = self.current.get(&key) {
            return (id.clone(), false);
        }
        self.count += 1;
        let id = ToolCallId::new(format!("call-{}", self.count));
        self.current.insert(key, id.clone());
        (id, true)
    }

    /// The run is over.
    pub(crate) fn forget(&mut self) {
        self.current.clear();
    }
}

/// What people read of a call: calls of children have the child's name.
pub(crate) fn title(tool: &str, child: Option<&str>) -> String {
    child.map_or_else(|| tool.to_owned(), |child| format!("{child}: {tool}"))
}

/// The kind of a call, by which clients choose icons and rules for approval. Only the names of built-in tools say it.
pub(crate) fn kind(source: Option<ToolSource>, tool: &str) -> ToolKind {
    if source != Some(ToolSource::Runtime) {
        return ToolKind::Other;
    }
    match tool {
        "shell.execute" => ToolKind::Execute,
        "filesystem.read" | "filesystem.list" | "skills.read" => ToolKind::Read,
        "filesystem.search" => ToolKind::Search,
        "filesystem.write" | "filesystem.edit" => ToolKind::Edit,
        _ => ToolKind::Other,
    }
}

/// The arguments as JSON, if they are JSON.
pub(crate) fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
