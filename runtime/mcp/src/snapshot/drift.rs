//! The difference between a snapshot and what servers offer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Snapshot;
use super::tool::SnapshotTool;
use crate::visible;

/// A report of a running program lists so many tools of each kind: a server may have changed all of its 10,000.
pub(crate) const REPORTED: usize = 20;

/// The difference between a snapshot and what its servers offer. `Display` writes a line for each server.
///
/// ```
/// use onionskin::mcp::snapshot::Snapshot;
///
/// let file = |tool: &str| {
///     let tools = format!(r#"{{"{tool}": {{"inputSchema": {{"type": "object"}}}}}}"#);
///     Snapshot::from_json(&format!(r#"{{"version": 1, "servers": {{"time": {{"tools": {tools}}}}}}}"#), Snapshot::FILE)
/// };
/// let drift = file("get_time")?.drift(&file("get_tiem")?);
/// assert_eq!((&*drift.servers()[0].added, &*drift.servers()[0].removed), (&["get_tiem".to_owned()][..], &["get_time".to_owned()][..]));
/// assert_eq!(drift.to_string(), "`time`: added `get_tiem`; removed `get_time`");
/// # Ok::<_, onionskin::mcp::snapshot::SnapshotError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    added: Vec<String>,
    removed: Vec<String>,
    servers: Vec<ServerDrift>,
}

impl Drift {
    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.servers.is_empty()
    }

    /// The servers that the snapshot does not have.
    pub fn added(&self) -> &[String] {
        &self.added
    }

    /// The servers that only the snapshot has.
    pub fn removed(&self) -> &[String] {
        &self.removed
    }

    /// The servers on both sides whose tools differ.
    pub fn servers(&self) -> &[ServerDrift] {
        &self.servers
    }

    pub(super) fn between(
        then: &BTreeMap<String, Vec<SnapshotTool>>,
        now: &BTreeMap<String, Vec<SnapshotTool>>,
    ) -> Self {
        let only = |a: &BTreeMap<String, _>, b: &BTreeMap<String, _>| {
            a.keys().filter(|name| !b.contains_key(*name)).cloned().collect()
        };
        let both = then.iter().filter_map(|(name, then)| Some((name, then, now.get(name)?)));
        let servers = both.map(|(name, then, now)| ServerDrift::between(name, then, now));
        Self { added: only(now, then), removed: only(then, now), servers: servers.flatten().collect() }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        lines.extend(
            self.added.iter().map(|name| format!("`{}`: the server is not in the file", visible::name(name))),
        );
        lines.extend(
            self.removed
                .iter()
                .map(|name| format!("`{}`: only the file has the server", visible::name(name))),
        );
        lines.extend(self.servers.iter().map(ToString::to_string));
        f.write_str(&lines.join("\n"))
    }
}

/// The tools of one server that differ from a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerDrift {
    /// The server.
    pub server: String,
    /// The tools that the snapshot does not have.
    pub added: Vec<String>,
    /// The tools that only the snapshot has.
    pub removed: Vec<String>,
    /// The tools that have another title, description, schema, or other hints.
    pub changed: Vec<ToolDrift>,
}

/// A tool that differs from a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each part of a tool")]
#[non_exhaustive]
pub struct ToolDrift {
    /// The tool.
    pub tool: String,
    /// Whether its title differs.
    pub title: bool,
    /// Whether its description differs.
    pub description: bool,
    /// Whether its hints differ: whether it only reads, destroys, can be repeated.
    pub annotations: bool,
    /// Whether the schema of its arguments differs.
    pub input_schema: bool,
    /// Whether the schema of its result differs.
    pub output_schema: bool,
}

impl ServerDrift {
    /// The difference; `None` if there is none.
    pub(crate) fn between(server: &str, then: &[SnapshotTool], now: &[SnapshotTool]) -> Option<Self> {
        let names = |tools: &[SnapshotTool]| -> BTreeSet<String> {
            tools.iter().map(|tool| tool.name.clone()).collect()
        };
        let (before, after) = (names(then), names(now));
        let current: BTreeMap<_, _> = now.iter().map(|tool| (&tool.name, tool)).collect();
        let changed =
            then.iter().filter_map(|then| ToolDrift::between(then, current.get(&then.name)?)).collect();
        let drift = Self {
            server: server.to_owned(),
            added: after.difference(&before).cloned().collect(),
            removed: before.difference(&after).cloned().collect(),
            changed,
        };
        let is_empty = drift.added.is_empty() && drift.removed.is_empty() && drift.changed.is_empty();
        (!is_empty).then_some(drift)
    }

    /// The message for people who run a program. It lists a few tools of each kind.
    pub(crate) fn report(&self) -> String {
        format!(
            "the MCP server {}, in comparison with `{}`; run `onionskin mcp lock` to update the file",
            self.text(REPORTED),
            Snapshot::FILE
        )
    }

    /// Whether the tool is as in the snapshot.
    pub(crate) fn leaves(&self, tool: &str) -> bool {
        !self.added.iter().any(|added| added == tool)
            && !self.changed.iter().any(|changed| changed.tool == tool)
    }

    /// The added, the removed and the changed tools, at most so many of each, with what changed.
    pub(crate) fn listed(&self, most: usize) -> [Vec<String>; 3] {
        let quoted =
            |names: &[String]| first(names.iter().map(|name| format!("`{}`", visible::name(name))), most);
        [
            quoted(&self.added),
            quoted(&self.removed),
            first(self.changed.iter().map(ToString::to_string), most),
        ]
    }

    fn text(&self, most: usize) -> String {
        format!("`{}`: {}", visible::name(&self.server), self.changes(most))
    }

    /// At most so many tools of each kind.
    pub(crate) fn changes(&self, most: usize) -> String {
        let parts = ["added", "removed", "changed"].into_iter().zip(self.listed(most));
        let parts = parts.filter(|(_, names)| !names.is_empty());
        let parts: Vec<_> = parts.map(|(what, names)| format!("{what} {}", names.join(", "))).collect();
        parts.join("; ")
    }
}

/// The first items, and how many more there are.
fn first(items: impl ExactSizeIterator<Item = String>, most: usize) -> Vec<String> {
    let more = items.len().saturating_sub(most);
    let mut listed: Vec<_> = items.take(most).collect();
    if more > 0 {
        listed.push(format!("{more} more"));
    }
    listed
}

impl fmt::Display for ServerDrift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(usize::MAX))
    }
}

impl ToolDrift {
    /// A file may have schemas as a server wrote them: an older version kept them so.
    fn between(then: &SnapshotTool, now: &SnapshotTool) -> Option<Self> {
        if then == now {
            return None;
        }
        let (then, now) = (then.normal(), now.normal());
        (then != now).then(|| Self {
            tool: then.name.clone(),
            title: then.title != now.title,
            description: then.description != now.description,
            annotations: then.annotations != now.annotations,
            input_schema: then.input_schema != now.input_schema,
            output_schema: then.output_schema != now.output_schema,
        })
    }
}

impl fmt::Display for ToolDrift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.title, "title"),
            (self.description, "description"),
            (self.annotations, "hints"),
            (self.input_schema, "input schema"),
            (self.output_schema, "output schema"),
        ];
        let parts: Vec<_> = parts.into_iter().filter_map(|(differs, what)| differs.then_some(what)).collect();
        write!(f, "`{}` ({})", visible::name(&self.tool), parts.join(", "))
    }
}
