//! A file of another program: its fields, each with its line, and its text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use onionskin_cards::Source;
use onionskin_cards::yaml::{self, Node, Scalar, Value};
use onionskin_vocabulary::{FrontMatterMistake, front_matter};

use super::fields::Kind;
use super::find::is_in_agents;
use super::tool_names::is_of_claude;
use super::tools::names_in;
use super::types::{Flow, TYPES};

const KINDS: [Kind; 3] = [Kind::Claude, Kind::Vscode, Kind::FastAgent];

/// A file, read.
#[derive(Debug)]
pub(super) struct AgentFile {
    pub(super) source: Source,
    pub(super) fields: Vec<Field>,
    /// The text below the fields; `None` in YAML.
    pub(super) body: Option<Range<usize>>,
    /// What was read in another way than it is written.
    pub(super) notes: Vec<Note>,
}

/// A field of a file.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) value: Node,
}

/// A line of a file, and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) line: usize,
    pub(super) text: String,
    /// Whether it says what no person is asked for.
    pub(super) is_warning: bool,
}

impl Note {
    pub(super) fn new(line: usize, text: impl Into<String>) -> Self {
        Self { line, text: text.into(), is_warning: false }
    }
}

/// Why a file is not read.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Nothing in it says that it is an agent.
    NoAgent(Note),
    /// It is an agent with a mistake.
    Mistake(Note),
}

impl Refusal {
    pub(super) fn note(self) -> Note {
        match self {
            Self::NoAgent(note) | Self::Mistake(note) => note,
        }
    }
}

impl AgentFile {
    /// Reads a file. `kind` is that of its path, and its fields say it otherwise.
    ///
    /// # Errors
    /// Returns what is wrong with the file as a whole, with its line.
    pub(super) fn read(path: &Path, source: Source, kind: Option<Kind>) -> Result<(Kind, Self), Refusal> {
        let is_markdown = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
        if !is_markdown {
            let whole = 0..source.text.len();
            return Self::from_fields(path, source, whole, None, kind);
        }
        match front_matter(&source.text) {
            Ok(parts) => Self::from_fields(path, source, parts.fields, Some(parts.body), kind),
            // The header of an agent is optional there.
            Err(FrontMatterMistake::Missing(_)) if kind == Some(Kind::Vscode) => {
                let body = 0..source.text.len();
                Ok((Kind::Vscode, Self { source, fields: Vec::new(), body: Some(body), notes: Vec::new() }))
            }
            Err(FrontMatterMistake::Missing(_)) => {
                let other = kind.map_or(String::new(), |kind| format!(" for {} either", kind.program()));
                Err(Refusal::NoAgent(Note::new(
                    1,
                    format!(
                        "without fields between two lines `---` it is no agent{other}: begin it with `---`, `name: ..`, `description: ..` and `---`"
                    ),
                )))
            }
            Err(FrontMatterMistake::Unclosed(at)) => {
                let (line, _) = source.line_and_column(at.start);
                // The whole file is fields there.
                let whole = at.end..source.text.len();
                if kind == Some(Kind::Vscode)
                    && let Ok(read) = Self::from_fields(path, source, whole, None, kind)
                {
                    return Ok(read);
                }
                let note = Note::new(line, "the fields have no end: write a line `---` before the text");
                Err(mistake(kind, note))
            }
        }
    }

    fn from_fields(
        path: &Path,
        source: Source,
        front: Range<usize>,
        body: Option<Range<usize>>,
        kind: Option<Kind>,
    ) -> Result<(Kind, Self), Refusal> {
        let text = source.text.clone();
        let fields = match yaml::parse(&text[front.clone()], front.start) {
            Ok(None) => Ok(Vec::new()),
            Ok(Some(Node { value: Value::Map(fields), .. })) => Ok(fields),
            Ok(Some(other)) => Err((other.span.start, "these are no fields, `name: ..`".to_owned())),
            Err(problem) => Err((problem.span.start, problem.message)),
        };
        let line = |at: usize| source.line_and_column(at).0;
        let (fields, notes) = match fields {
            Ok(fields) => {
                let field = |(key, value): (yaml::Key, Node)| Field {
                    line: line(key.span.start),
                    name: key.value,
                    value,
                };
                (fields.into_iter().map(field).collect(), Vec::new())
            }
            // Other programs are less strict than YAML is.
            Err((at, message)) if body.is_some() => {
                let fields = by_lines(&source, &front, kind);
                if fields.is_empty() {
                    return Err(mistake(kind, Note::new(line(at), message)));
                }
                let why = message.strip_prefix("this is not YAML: ").unwrap_or(&message);
                let note = format!("the fields are read line by line, because they are not YAML: {why}");
                (fields, vec![Note::new(line(at), note)])
            }
            Err((at, message)) => return Err(mistake(kind, Note::new(line(at), message))),
        };
        let is_markdown = body.is_some();
        let mut file = Self { source, fields, body, notes };
        let has = |name: &str| is_markdown && file.fields.iter().any(|field| field.name == name);
        let (has_name, has_description) = (has("name"), has("description"));
        let mut kind = kind.or_else(|| kind_by_fields(&file));
        if kind.is_none() && has_name && has_description && is_in_agents(path) {
            let note = "the file is read as an agent of Claude Code, because it is in a folder `agents`: `--from` names another program";
            file.notes.push(Note::new(1, note));
            kind = Some(Kind::Claude);
        }
        let is_typed = || file.fields.iter().any(|field| field.name == "type");
        let Some(kind) = kind.or_else(|| is_typed().then_some(Kind::FastAgent)) else {
            let note = Note::new(
                1,
                "the fields do not say which program the file belongs to: say it with `--from claude`, `--from vscode` or `--from fast-agent`",
            );
            let is_agent = has_name || has_description;
            return Err(if is_agent { Refusal::Mistake(note) } else { Refusal::NoAgent(note) });
        };
        Ok((kind, file))
    }

    /// The line of a place in the file.
    pub(super) fn line(&self, at: &Range<usize>) -> usize {
        self.source.line_and_column(at.start).0
    }

    /// The text below the fields, without the space around it.
    pub(super) fn body(&self) -> Option<&str> {
        let text = self.source.text.get(self.body.clone()?)?;
        Some(text.trim_start_matches('\u{feff}').trim()).filter(|text| !text.is_empty())
    }

    /// The first line of the text below the fields.
    pub(super) fn body_line(&self) -> usize {
        let Some(body) = self.body.clone() else { return 1 };
        let blank = self.source.text[body.clone()].len() - self.source.text[body.clone()].trim_start().len();
        self.source.line_and_column(body.start + blank).0
    }
}

/// The fields of lines that are not YAML as a whole: a line that begins with a word and a colon begins a field, and all other lines belong to
/// the field above them. A description can have examples, `user: ..`: if it has a line that begins no field, or a word again, only a field that
/// the program knows ends it.
fn by_lines(source: &Source, front: &Range<usize>, kind: Option<Kind>) -> Vec<Field> {
    let text = &source.text[front.clone()];
    let kinds = KINDS.iter().filter(|known| kind.is_none_or(|kind| kind == **known));
    let is_known = |name: &str| kinds.clone().any(|kind| kind.field(name).is_some());
    let of_field = |c: char| c.is_whitespace() || matches!(c, '-' | '#');
    let mut starts: Vec<(&str, usize, usize)> = Vec::new();
    let mut at = 0;
    // The number of fields up to a description that no known field ends.
    let mut description = None;
    let mut is_text = false;
    let mut names = BTreeSet::new();
    // A file can have very many lines.
    let first = source.line_and_column(front.start).0;
    for (number, line) in (first..).zip(text.split_inclusive('\n')) {
        if let Some(name) = field_name(line).filter(|name| is_known(name) || !is_text && names.insert(*name))
        {
            starts.push((name, at, number));
            if is_known(name) {
                is_text = false;
                description = (name == "description").then_some(starts.len());
            }
        } else if let Some(number) = description.filter(|_| !line.starts_with(of_field)) {
            starts.truncate(number);
            is_text = true;
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]);
    let field = |((name, start, line), end): (&(&str, usize, usize), usize)| {
        let written = &text[*start..end];
        let span = front.start + start..front.start + start + written.trim_end().len();
        let value = match yaml::parse(written, front.start + start) {
            Ok(Some(Node { value: Value::Map(mut fields), .. })) if fields.len() == 1 => fields.remove(0).1,
            _ => {
                let (_, words) = written.split_once(':').unwrap_or_default();
                let scalar = Scalar { text: without_quotes(words.trim()), is_plain: false };
                Node { value: Value::Scalar(scalar), span: span.clone() }
            }
        };
        Field { name: (*name).to_owned(), line: *line, value }
    };
    starts.iter().zip(ends).map(field).collect()
}

/// The name of the field that begins with this line. A known one needs no space behind its colon.
fn field_name(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_known = || KINDS.iter().any(|kind| kind.field(name).is_some());
    (is_word && (rest.is_empty() || rest.starts_with(char::is_whitespace) || is_known())).then_some(name)
}

fn without_quotes(text: &str) -> String {
    let inner = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(text).replace("\r\n", "\n")
}

/// A file of an unknown program can be a page, and that of a known one is an agent.
fn mistake(kind: Option<Kind>, note: Note) -> Refusal {
    if kind.is_some() { Refusal::Mistake(note) } else { Refusal::NoAgent(note) }
}

/// The program that alone has such fields, or such words in them.
fn kind_by_fields(file: &AgentFile) -> Option<Kind> {
    let get = |name: &str| file.fields.iter().find(|field| field.name == name).map(|field| &field.value);
    let is_flow = get("type").and_then(scalar).is_some_and(|text| {
        TYPES.iter().any(|(name, flow, _)| *flow != Flow::Plain && name.eq_ignore_ascii_case(text))
    });
    // No other program begins the name of a tool with a capital letter.
    let is_claude = get("model").and_then(scalar) == Some("inherit")
        || get("tools").is_some_and(|tools| names_in(tools, file).iter().any(|(_, name)| is_of_claude(name)));
    let is_alone = |kind: Kind, name: &str| {
        kind.field(name).is_some()
            && KINDS.into_iter().all(|other| other == kind || other.field(name).is_none())
    };
    // Any file can say that it has the type of an agent.
    let has = |kind| file.fields.iter().any(|field| field.name != "type" && is_alone(kind, &field.name));
    // A card of ours has the fields of fast-agent.
    [
        (is_flow || has(Kind::FastAgent), Kind::FastAgent),
        (has(Kind::Vscode), Kind::Vscode),
        (is_claude || has(Kind::Claude), Kind::Claude),
    ]
    .into_iter()
    .find_map(|(is, kind)| is.then_some(kind))
}

/// The text of a value that is neither a list nor a map.
pub(super) fn scalar(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar(scalar) if !scalar.is_null() => Some(&scalar.text),
        Value::Scalar(_) | Value::List(_) | Value::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_the_fields_say_the_program() {
        let kind = |text: &str| {
            AgentFile::read(Path::new("a.md"), Source::new("a.md", text), None)
                .map(|(kind, _)| kind)
                .map_err(|refusal| refusal.note().line)
        };
        assert_eq!(kind("---\npermissionMode: plan\n---\nA."), Ok(Kind::Claude));
        assert_eq!(kind("---\nhandoffs: []\n---\nA."), Ok(Kind::Vscode));
        assert_eq!(kind("---\nuse_history: true\n---\nA."), Ok(Kind::FastAgent));
        assert_eq!(kind("---\ntype: chain\n---\nA."), Ok(Kind::FastAgent));
        // The names of tools begin with a capital letter in Claude Code alone.
        assert_eq!(kind("---\ntools: Read, Bash(git *)\n---\nA."), Ok(Kind::Claude));
        assert_eq!(kind("---\ntools: [mcp__github__search]\n---\nA."), Ok(Kind::Claude));
        assert_eq!(kind("---\nmodel: inherit\n---\nA."), Ok(Kind::Claude));
        assert_eq!(kind("---\ntype: agent\n---\nA."), Ok(Kind::FastAgent));
        assert_eq!(kind("---\ntype: agent\ncolor: red\n---\nA."), Ok(Kind::Claude));
        assert_eq!(kind("---\ntools: read, search\n---\nA."), Err(1));
        assert_eq!(kind("---\nmodel: sonnet\n---\nA."), Err(1));
        assert_eq!(kind("---\nname: a\n---\nA."), Err(1));
        assert_eq!(kind("---\nname: a\n"), Err(1));
    }
}
