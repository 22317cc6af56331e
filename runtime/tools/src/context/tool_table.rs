//! The tools of an agent for one model turn: an immutable snapshot.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;

use super::ToolContext;
use crate::approval::Needed;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Asks, ToolDeclaration, ToolDefinition, ToolSource, wire_name};
use onionskin_definitions::error::ToolResult;
use onionskin_definitions::text::{first_of, nearest, short};

/// One tool of an agent.
#[derive(Clone)]
pub struct ToolEntry {
    /// The name for hooks and programs.
    pub name: Arc<str>,
    /// The name for the model.
    pub wire_name: Arc<str>,
    /// The server that the tool comes from, if any.
    pub server: Option<Arc<str>>,
    /// The kind of source.
    pub source: ToolSource,
    /// The definition, which the model sees.
    pub definition: ToolDefinition,
    pub(crate) target: Target,
    /// Whether calls take the watched path, for a timeout, a call limit, secrets, a definition per run, or
    /// guardrails.
    pub(crate) is_watched: bool,
    /// Whether the function starts inside the tool's own hooks or stages, and not in the core.
    pub(crate) starts_inside: bool,
    /// The guardrails of the agent.
    pub(crate) guards: Option<Arc<dyn Guards>>,
    /// The agent's rules for approval of its calls.
    pub(crate) approval: Vec<Needed>,
}

/// The target of a call.
#[derive(Clone)]
pub enum Target {
    /// The compiled tool with this index in its agent.
    Compiled(usize),
    /// A dynamic tool.
    Dynamic(Arc<dyn DynCall>),
}

/// The target of a call as a trait object: an agent's onion, or a dynamic tool.
pub trait DynCall: Send + Sync {
    /// Runs the call.
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// Checks the arguments of a call that needs approval.
    ///
    /// # Errors
    /// Returns an error if they do not fit the tool.
    fn check(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        cx.definition().check(args)
    }
}

/// The guardrails of an agent, inside its hooks. Calls that a hook makes past the other hooks pass them too.
pub trait Guards: Send + Sync {
    /// The agent's rules for approval of the calls of a tool.
    fn approval(&self, tool: &ToolEntry) -> Vec<Needed>;

    /// Whether hooks of the agent may require approval of the calls of a tool.
    fn hooks_may_ask(&self, tool: &ToolEntry) -> bool;

    /// Asks for approval where a rule of the agent or of a hook requires it, for a tool without stages of its own.
    fn approve<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>>;

    /// Checks the arguments, and can change them.
    fn admit<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>>;

    /// Checks the result of a call with these arguments, and can change it.
    fn release<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a Args,
        result: ToolResult,
    ) -> BoxFuture<'a, ToolResult>;
}

impl ToolEntry {
    /// Creates an entry with this name and source.
    pub fn new(
        name: impl Into<Arc<str>>,
        source: ToolSource,
        server: Option<&str>,
        mut definition: ToolDefinition,
        target: Target,
    ) -> Self {
        let name = name.into();
        // By one of the tool's own hooks.
        if definition.services.requires_approval() {
            definition.asks = definition.asks.max(Asks::Approval);
        }
        Self {
            wire_name: wire_name(&name).into(),
            name,
            server: server.map(Into::into),
            source,
            is_watched: definition.timeout.is_some()
                || definition.max_calls.is_some()
                || definition.has_secrets
                || definition.depends_on_run(),
            starts_inside: definition.layers.is_some(),
            definition,
            target,
            guards: None,
            approval: Vec::new(),
        }
    }

    /// Sets the guardrails of the agent, and its rules for approval.
    pub fn guard(&mut self, guards: &Arc<dyn Guards>) {
        self.approval = guards.approval(self);
        if !self.approval.is_empty() || guards.hooks_may_ask(self) {
            self.definition.asks = self.definition.asks.max(Asks::Approval);
        }
        self.guards = Some(Arc::clone(guards));
        self.is_watched = true;
    }

    /// Whether guardrails, rules for approval, or the tool's own hooks and stages read the arguments before it.
    #[inline]
    pub(crate) fn looks_at_args(&self) -> bool {
        self.guards.is_some() || self.starts_inside
    }

    /// A tool without an agent.
    pub(crate) fn detached(name: &str) -> Arc<Self> {
        let definition = ToolDefinition::new(name, "");
        Arc::new(Self::new(name, ToolSource::Function, None, definition, Target::Compiled(0)))
    }
}

/// Two tools of one agent have the same name.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "two tools of the agent `{agent}` are called `{wire_name}`: `{first}` and `{second}`; rename one of them, or \
     exclude it with a filter"
)]
#[non_exhaustive]
pub struct NameClash {
    /// The agent.
    pub agent: String,
    /// The name that the model would see for both.
    pub wire_name: String,
    /// One of them.
    pub first: String,
    /// The other.
    pub second: String,
}

/// The tools of an agent for one model turn.
pub struct ToolTable {
    entries: Vec<Arc<ToolEntry>>,
    /// The indices of the entries, sorted by the length and then the text of their wire names. Comparing
    /// lengths is cheaper than hashing a name.
    by_wire_name: Box<[usize]>,
    /// The tools as the model sees them.
    pub declarations: Arc<[ToolDeclaration]>,
    /// Their definitions, once somebody has asked for them.
    shown: OnceLock<Arc<[ToolDefinition]>>,
}

impl ToolTable {
    /// Creates a table. If two names clash, it omits the later tool and reports the clash.
    pub fn new(agent: &str, all: impl IntoIterator<Item = ToolEntry>) -> (Self, Vec<NameClash>) {
        let mut entries: Vec<Arc<ToolEntry>> = Vec::new();
        let mut by_wire_name: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        let mut clashes = Vec::new();
        for entry in all {
            if let Some(&first) = by_wire_name.get(&entry.wire_name) {
                clashes.push(NameClash {
                    agent: agent.to_owned(),
                    wire_name: entry.wire_name.to_string(),
                    first: entries[first].name.to_string(),
                    second: entry.name.to_string(),
                });
            } else {
                by_wire_name.insert(Arc::clone(&entry.wire_name), entries.len());
                entries.push(Arc::new(entry));
            }
        }
        let declarations =
            entries.iter().map(|entry| ToolDeclaration::new(&*entry.wire_name, &entry.definition)).collect();
        let mut by_wire_name: Box<[usize]> = by_wire_name.into_values().collect();
        by_wire_name.sort_by(|&a, &b| shorter_first(&entries[a].wire_name, &entries[b].wire_name));
        (Self { entries, by_wire_name, declarations, shown: OnceLock::new() }, clashes)
    }

    /// What the calls of these tools may ask a person.
    pub fn asks(&self) -> Asks {
        self.entries.iter().map(|tool| tool.definition.asks).max().unwrap_or_default()
    }

    /// The tools with these names.
    ///
    /// # Errors
    /// Returns an unknown name, and a suggestion that ends the error's text.
    pub fn only(&self, agent: &str, names: &[String]) -> Result<Self, (String, String)> {
        let index = |name: &String| {
            self.find(name).ok_or_else(|| {
                let known = self.entries().iter().map(|entry| &*entry.name);
                let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
                (name.clone(), near.unwrap_or_default())
            })
        };
        let mut indices = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        indices.sort_unstable();
        indices.dedup();
        Ok(Self::new(agent, indices.into_iter().map(|index| (**self.entry(index)).clone())).0)
    }

    /// The tool at this index.
    pub fn entry(&self, index: usize) -> &Arc<ToolEntry> {
        &self.entries[index]
    }

    /// All tools.
    pub fn entries(&self) -> &[Arc<ToolEntry>] {
        &self.entries
    }

    /// The definitions with the names that the model sees: always the same list.
    pub fn shown(&self) -> Arc<[ToolDefinition]> {
        let shown = |entry: &Arc<ToolEntry>| {
            let mut definition = entry.definition.clone();
            definition.name = Arc::clone(&entry.wire_name);
            definition
        };
        Arc::clone(self.shown.get_or_init(|| self.entries.iter().map(shown).collect()))
    }

    /// The names of the tools, for hooks and for the model.
    pub fn names(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> + Clone {
        self.entries().iter().map(|entry| (&entry.name, &entry.wire_name))
    }

    /// The index of the tool with this wire name, or with this name for hooks and programs.
    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        match &*self.entries {
            [only] if *only.wire_name == *name => Some(0),
            _ => self.search(name),
        }
    }

    /// The text for a model that called an unknown tool.
    pub fn unknown(&self, name: &str) -> String {
        let names = || self.entries().iter().map(|entry| &*entry.wire_name);
        let mut text = format!("Unknown tool name: '{}'.", short(name, 100));
        if let Some(near) = nearest(name, names()) {
            text.push_str(&format!(" Did you mean '{near}'?"));
        }
        if self.entries().is_empty() {
            text.push_str(" There are no tools.");
        } else {
            let names = first_of(names().map(|name| format!("'{name}'")), ", ");
            text.push_str(&format!(" Available tools: {names}"));
        }
        text
    }

    fn search(&self, name: &str) -> Option<usize> {
        let wire_name = |&index: &usize| shorter_first(&self.entries[index].wire_name, name);
        match self.by_wire_name.binary_search_by(wire_name) {
            Ok(at) => Some(self.by_wire_name[at]),
            Err(_) => self.entries.iter().position(|entry| &*entry.name == name),
        }
    }
}

fn shorter_first(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
