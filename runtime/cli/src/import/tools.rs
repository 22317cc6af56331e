//! The tools of an agent: built-in tools, tools of servers, and other agents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use onionskin_cards::yaml::{Node, Value};
use onionskin_cards::{Approval, ApprovalRule, Filter, Spanned, Target};
use onionskin_vocabulary::agent::ToolSource;
use onionskin_vocabulary::{BuiltIn, SKILL_FOLDERS};

use super::fields::Kind;
use super::forbidden::{names, overlap};
use super::known::Known;
use super::source::{AgentFile, Note, scalar};
use super::text::beginning;
use super::tool_names::{GROUPS, READING, Tool, tool};

const UNKNOWN: &str = "there is no such tool here";

/// How many names a note lists.
const MOST_NAMED: usize = 6;

/// The names in a field, each with its line: a list, or a text with commas.
pub(super) fn names_in(value: &Node, file: &AgentFile) -> Vec<(usize, String)> {
    match &value.value {
        Value::List(items) => items.iter().flat_map(|item| names_in(item, file)).collect(),
        // `{ name: .. }` names a server, and so does `name:` in a list of servers.
        Value::Map(entries) => {
            entries.iter().map(|(key, _)| (file.line(&key.span), key.value.clone())).collect()
        }
        Value::Scalar(_) => {
            let line = file.line(&value.span);
            let names = scalar(value).map(divided).unwrap_or_default();
            names.into_iter().map(|name| (line, name)).collect()
        }
    }
}

/// The parts of a text between commas that are not in parentheses.
fn divided(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | '\n')
    });
    let plain = |part: &str| part.trim().trim_matches(['"', '\'', '[', ']', '`']).trim().to_owned();
    parts.map(plain).filter(|part| !part.is_empty()).collect()
}

/// A name, and what is in the parentheses behind it.
fn base_and_part(name: &str) -> (&str, &str) {
    match name.split_once('(') {
        Some((base, part)) => (base.trim(), part.trim_end_matches(')').trim()),
        None => (name, ""),
    }
}

/// Whether this in parentheses is all of a tool.
fn is_all(part: &str) -> bool {
    matches!(part, "" | "*" | "*:*")
}

/// A tool, and where its file has it.
#[derive(Debug)]
struct Named {
    line: usize,
    tool: BuiltIn,
}

/// The tools of a card.
#[derive(Default)]
pub(super) struct CardTools {
    pub(super) runtime: Vec<Spanned<String>>,
    pub(super) servers: Vec<Spanned<String>>,
    pub(super) tools: Vec<(Spanned<String>, Vec<Spanned<String>>)>,
    /// The agents that it calls, each with its line and its name in its file.
    pub(super) children: Vec<(usize, String)>,
    pub(super) notes: Vec<Note>,
    /// The calls that need approval; `None` if the file does not say it.
    pub(super) approval: Option<Vec<Approval>>,
}

/// Approval of each call of some tools, or of all except these.
fn approval(except: bool, targets: Vec<Target>) -> Approval {
    let targets = targets.into_iter().map(|target| Spanned::new(target, 0..0)).collect();
    let filter = Filter { except, targets };
    Approval { rule: ApprovalRule::Always, filter, span: 0..0 }
}

fn spanned(word: &str) -> Spanned<String> {
    Spanned::new(word.to_owned(), 0..0)
}

/// The tools of an agent.
#[derive(Debug)]
pub(super) struct Tools<'k> {
    kind: Kind,
    known: &'k Known,
    built_in: Vec<Named>,
    /// The tools of servers; all of them without a name.
    servers: BTreeMap<String, (usize, Vec<String>)>,
    children: Vec<(usize, String)>,
    /// Names of tools that can be those of servers.
    unknown: BTreeSet<String>,
    /// What is left out, by the line and the reason.
    left: BTreeMap<(usize, String), Vec<String>>,
    notes: Vec<Note>,
    /// The names of tools that it has not.
    forbidden: Vec<(usize, String)>,
    /// Whether it has no tools that change something.
    is_reading: bool,
    /// The tools that run without a question.
    allowed: Vec<BuiltIn>,
}

/// Whether `skills.read` finds skills.
pub(super) fn has_skills() -> bool {
    SKILL_FOLDERS.iter().any(|folder| Path::new(folder).is_dir())
}

impl<'k> Tools<'k> {
    /// Makes a list without tools. `known` are the servers that can be named.
    pub(super) fn new(kind: Kind, known: &'k Known) -> Self {
        Self {
            kind,
            known,
            built_in: Vec::new(),
            servers: BTreeMap::new(),
            unknown: BTreeSet::new(),
            children: Vec::new(),
            left: BTreeMap::new(),
            notes: Vec::new(),
            forbidden: Vec::new(),
            is_reading: false,
            allowed: Vec::new(),
        }
    }

    /// Adds built-in tools.
    pub(super) fn add(&mut self, line: usize, tools: &[BuiltIn]) {
        for tool in tools {
            if self.built_in.iter().all(|known| known.tool != *tool) {
                self.built_in.push(Named { line, tool: *tool });
            }
        }
    }

    /// Adds the tools of these names.
    pub(super) fn read(&mut self, names: &[(usize, String)]) {
        for (line, name) in names {
            self.one(*line, name);
        }
    }

    fn one(&mut self, line: usize, name: &str) {
        let (base, pattern) = base_and_part(name);
        if matches!(base, "*" | "all") {
            self.note(
                line,
                format!(
                    "`{base}` means all tools of {}: the card has those that change nothing",
                    self.kind.program()
                ),
            );
            return self.add(line, READING);
        }
        if let Some((server, tool)) = self.server_tool(base) {
            if self.kind == Kind::Vscode
                && !self.known.servers.contains_key(server)
                && is_extension(server, tool)
            {
                return self.leave(line, name, "only an editor has extensions");
            }
            return self.server(line, server, tool);
        }
        let word = base.split_once('/').map_or(base, |(_, tool)| tool);
        match tool(word) {
            Some(Tool::Agents) if !pattern.is_empty() => {
                self.children.extend(divided(pattern).into_iter().map(|name| (line, name)));
            }
            Some(Tool::Agents) => self.leave(line, name, "name the agents that it may call in `agents`"),
            Some(Tool::BuiltIn(_)) if !is_all(pattern) => {
                self.leave(
                    line,
                    name,
                    "it allows a part of what the tool does, and a card has a tool or not",
                );
            }
            Some(Tool::BuiltIn(tools)) => self.add(line, tools),
            Some(Tool::Left(why)) => self.leave(line, name, why),
            None if base.contains('/') => self.leave(line, name, UNKNOWN),
            // A server, or a tool of an extension.
            None => {
                self.unknown.insert(base.to_owned());
                self.server(line, base, "");
            }
        }
    }

    /// Adds tools of servers: `{ server: [tool] }`.
    pub(super) fn read_map(&mut self, value: &Node, file: &AgentFile) {
        let Value::Map(entries) = &value.value else {
            return self.read(&names_in(value, file));
        };
        for (key, value) in entries {
            let line = file.line(&key.span);
            for (_, tool) in names_in(value, file) {
                self.server(line, &key.value, &tool);
            }
        }
    }

    /// Adds servers, with all their tools if no others are named.
    pub(super) fn read_servers(&mut self, value: &Node, file: &AgentFile) {
        for (line, name) in names_in(value, file) {
            self.server(line, &name, "");
        }
    }

    fn server(&mut self, line: usize, server: &str, tool: &str) {
        let (_, tools) = self.servers.entry(server.to_owned()).or_insert((line, Vec::new()));
        if !matches!(tool, "" | "*") && tools.iter().all(|known| known != tool) {
            tools.push(tool.to_owned());
        }
    }

    /// Removes the tools of these names, wherever the file names them.
    pub(super) fn remove(&mut self, names: Vec<(usize, String)>) {
        self.forbidden.extend(names);
    }

    fn remove_one(&mut self, line: usize, name: &str) {
        let (base, part) = base_and_part(name);
        if matches!(base, "*" | "all") {
            self.built_in.clear();
            self.servers.clear();
            return self.children.clear();
        }
        if let Some((server, tool)) = self.server_tool(base) {
            return self.remove_of_servers(line, server, tool);
        }
        match tool(base) {
            Some(Tool::BuiltIn(tools)) => {
                let (removed, left): (Vec<_>, _) = std::mem::take(&mut self.built_in)
                    .into_iter()
                    .partition(|named| tools.contains(&named.tool));
                self.built_in = left;
                if !is_all(part) && !removed.is_empty() {
                    let removed: Vec<_> = removed.iter().map(|named| named.tool.word().to_owned()).collect();
                    let text = format!(
                        "`{}` forbids a part of what the tool does, and a card has a tool or not: this one does not have {}",
                        beginning(name, 60),
                        listed(&removed)
                    );
                    self.note(line, text);
                }
            }
            Some(Tool::Agents) if is_all(part) => self.children.clear(),
            Some(Tool::Agents) => {
                let names = divided(&part.to_lowercase());
                self.children
                    .retain(|(_, child)| !names.iter().any(|name| overlap(name, &child.to_lowercase())));
            }
            Some(Tool::Left(_)) => {}
            None => self.remove_of_servers(line, base, ""),
        }
    }

    /// Removes a tool of servers, or the servers.
    fn remove_of_servers(&mut self, line: usize, server: &str, tool: &str) {
        let mut notes = Vec::new();
        self.servers.retain(|known, (_, tools)| {
            if !overlap(server, known) {
                return true;
            }
            if !matches!(tool, "" | "*") && tools.is_empty() {
                let known = beginning(known, 60);
                notes.push(format!(
                    "the server `{known}` is left out: `disallowedTools` forbids a part of its tools, and a card names those that it has: \
                     `tools: {{ {known}: [..] }}`"
                ));
            }
            tools.retain(|known| !tool.is_empty() && !overlap(tool, known));
            // Without names, the card would have all of them.
            !tools.is_empty()
        });
        for text in notes {
            self.note(line, text);
        }
    }

    /// Removes the tools that change something.
    pub(super) fn without_changes(&mut self, line: usize) {
        self.is_reading = true;
        self.note(
            line,
            "with `permissionMode: plan`, the card has no tools that change something".to_owned(),
        );
    }

    /// Lets these tools run without a question.
    pub(super) fn allow(&mut self, tools: &[BuiltIn]) {
        self.allowed.extend(tools);
    }

    /// The tools for a card.
    pub(super) fn finish(mut self) -> CardTools {
        for (line, text) in std::mem::take(&mut self.forbidden) {
            for name in names(&text) {
                self.remove_one(line, name);
            }
        }
        if self.is_reading {
            self.built_in.retain(|named| !named.tool.changes_something());
        }
        if let Some(at) = self.built_in.iter().position(|named| named.tool == BuiltIn::SkillsRead)
            && !has_skills()
        {
            let folders = crate::text::quoted(SKILL_FOLDERS.into_iter());
            let text = format!(
                "skills are left out, because the working directory has none of the folders {folders}: make one, and write \
                 `runtime: [skills.read]`"
            );
            self.notes.push(Note::new(self.built_in.remove(at).line, text));
        }
        let runtime = self.built_in.iter().map(|named| spanned(named.tool.word())).collect();
        let mut tools =
            CardTools { runtime, children: self.children, notes: self.notes, ..CardTools::default() };
        let changing: Vec<&Named> =
            self.built_in.iter().filter(|named| named.tool.changes_something()).collect();
        if let Some(first) = changing.first() {
            let words =
                |named: &[&Named]| named.iter().map(|named| named.tool.word().to_owned()).collect::<Vec<_>>();
            let (free, asked): (Vec<_>, Vec<_>) =
                changing.iter().partition(|named| self.allowed.contains(&named.tool));
            match self.kind {
                Kind::Claude | Kind::Vscode => {
                    let names = |words: Vec<String>| words.into_iter().map(Target::Name).collect::<Vec<_>>();
                    tools.approval = Some(if asked.is_empty() || free.is_empty() {
                        names(words(&asked)).into_iter().map(|target| approval(false, vec![target])).collect()
                    } else {
                        // The ready program asks before the changes that no entry names.
                        let is_asked = |named: &Named| asked.iter().any(|asked| asked.tool == named.tool);
                        let others = self.built_in.iter().filter(|named| !is_asked(named));
                        let mut others = names(words(&others.collect::<Vec<_>>()));
                        others.extend((!self.servers.is_empty()).then_some(Target::Source(ToolSource::Mcp)));
                        others.extend(
                            (!tools.children.is_empty()).then_some(Target::Source(ToolSource::Agent)),
                        );
                        vec![approval(true, others)]
                    });
                    if !free.is_empty() {
                        let text = format!("no person is asked before a call of {}", listed(&words(&free)));
                        tools.notes.push(Note { is_warning: true, ..Note::new(first.line, text) });
                    }
                }
                // What a card does not say is asked by the ready program.
                Kind::FastAgent => {
                    let text = format!(
                        "a person is asked before a call of {}; `approval: []` asks for nothing",
                        listed(&words(&changing))
                    );
                    tools.notes.push(Note::new(first.line, text));
                }
            }
        }
        for (server, (line, names)) in self.servers {
            let shown = beginning(&server, 60);
            let of_server = match self.known.servers.get(&server) {
                Some(Ok(locked)) => {
                    self.known.with_lock(&server, names, locked.as_deref(), line, &mut tools.notes)
                }
                Some(Err(why)) => Err(format!("the server `{shown}` is left out: {why}")),
                None => {
                    let add = format!(
                        "add it to the `.mcp.json` of the working directory, and write `servers: [{shown}]`"
                    );
                    Err(if self.unknown.contains(&server) {
                        format!("`{shown}` is left out: {UNKNOWN}; if it is a server, {add}")
                    } else if names.is_empty() {
                        format!("the server `{shown}` is left out: {add}")
                    } else {
                        format!("the server `{shown}` with {} is left out: {add}", listed(&names))
                    })
                }
            };
            match of_server {
                Ok(names) => {
                    if !names.is_empty() {
                        tools
                            .tools
                            .push((spanned(&server), names.iter().map(|name| spanned(name)).collect()));
                    }
                    tools.servers.push(spanned(&server));
                }
                Err(text) => tools.notes.push(Note::new(line, text)),
            }
        }
        for ((line, why), names) in self.left {
            let is = if names.len() == 1 { "is" } else { "are" };
            tools.notes.push(Note::new(line, format!("{} {is} left out: {why}", listed(&names))));
        }
        tools
    }

    /// The server and the tool of a name: `mcp__github__search`, or `github/search`. The name of a server can have a slash.
    fn server_tool<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        if let Some(rest) = name.strip_prefix("mcp__") {
            return Some(rest.split_once("__").unwrap_or((rest, "")));
        }
        let (group, _) = name.split_once('/')?;
        if self.known.servers.contains_key(name) {
            return Some((name, ""));
        }
        name.rsplit_once('/').filter(|_| !GROUPS.contains(&group))
    }

    fn leave(&mut self, line: usize, name: &str, why: &str) {
        self.left.entry((line, why.to_owned())).or_default().push(name.to_owned());
    }

    fn note(&mut self, line: usize, text: String) {
        self.notes.push(Note::new(line, text));
    }
}

/// Whether VS Code would name a tool of an extension so, which has a publisher and a name: `ms-python.python/..`.
fn is_extension(server: &str, tool: &str) -> bool {
    !matches!(tool, "" | "*") && !server.contains('/') && server.matches('.').count() == 1
}

/// The first names of a list.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MOST_NAMED).map(|name| format!("`{}`", beginning(name, 60))).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
