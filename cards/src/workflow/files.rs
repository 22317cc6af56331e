//! The files of a workflow folder.

use std::path::{Path, PathBuf};

use crate::deck::DeckError;
use crate::file::read_file;
use crate::json;
use crate::paths::shown;
use crate::problem::{CardError, Problem};
use crate::source::Source;
use crate::yaml::{self, Key, Node, Value};

/// The files of a workflow whose parts are in files of their own, each with the keys that `workflow.json` has for it.
const PARTS: [&str; 4] = ["orchestrator", "agents", "tools", "hooks"];

/// The file with all parts.
const WHOLE: &str = "workflow";

/// The endings of a file, the first is the one that counts.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The files as trees over one joined text.
pub(super) struct Files {
    /// The name of the folder.
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// The full paths of the files.
    pub(super) paths: Vec<PathBuf>,
    pub(super) source: Source,
    /// The trees by the names of [`PARTS`] or [`WHOLE`], and where each file begins.
    trees: Vec<(&'static str, Option<Node>, usize)>,
    /// The parts that cannot be read, with their mistakes.
    broken: Vec<(&'static str, CardError)>,
}

/// A field of the workflow, wherever it is written.
pub(super) struct Part<'f> {
    pub(super) value: Option<&'f Node>,
    /// The place for what is missing.
    pub(super) start: usize,
}

/// The full paths of all files that a workflow can have. `folder` is its full path.
pub fn workflow_files(folder: &Path) -> Vec<PathBuf> {
    let parts = PARTS.into_iter().chain([WHOLE]);
    parts.flat_map(|part| ENDINGS.map(|ending| folder.join(format!("{part}.{ending}")))).collect()
}

/// Finds and parses the files. Gives warnings too. A part that cannot be read is among the files, so that the others are read.
///
/// # Errors
/// Returns the files that are missing, or the file of all parts if it cannot be read.
pub(super) fn find(base: &Path, folder: &Path) -> Result<(Files, Vec<Problem>), DeckError> {
    let whole = |message: String| {
        let empty = Source::new(shown(folder), "");
        DeckError::from(CardError::new(empty, vec![Problem { message, span: 0..0 }]))
    };
    let full = base.join(folder);
    if !full.is_dir() {
        return Err(whole("there is no such folder: a workflow is a folder with `orchestrator.json`, `agents.json`, `tools.json` and `hooks.json`, or with `workflow.json`".to_owned()));
    }
    let endings = |part: &str| -> Vec<&'static str> {
        ENDINGS.into_iter().filter(|ending| full.join(format!("{part}.{ending}")).exists()).collect()
    };
    let divided: Vec<_> = PARTS.into_iter().filter(|part| !endings(part).is_empty()).collect();
    let has_whole = !endings(WHOLE).is_empty();
    let parts = match (has_whole, &divided[..]) {
        (true, [first, ..]) => {
            return Err(whole(format!(
                "the workflow is in `{WHOLE}.{}` and in `{first}.{}`: write all of it in one file, or each part in its own",
                endings(WHOLE)[0],
                endings(first)[0]
            )));
        }
        (true, []) => vec![WHOLE],
        (false, _) => {
            if let Some(missing) = ["orchestrator", "agents"].into_iter().find(|part| !divided.contains(part))
            {
                return Err(whole(format!("the folder has no `{missing}.json`, and no `{WHOLE}.json`")));
            }
            divided
        }
    };
    let mut paths = Vec::new();
    let (mut sources, mut warnings, mut broken, mut start) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for part in &parts {
        let found = endings(part);
        let file = format!("{part}.{}", found[0]);
        match read_file(&full.join(&file), shown(&folder.join(&file))) {
            Ok(source) => {
                let mut warn = |message: String| warnings.push(Problem { message, span: start..start });
                if let [used, also, ..] = found[..] {
                    warn(format!(
                        "`{part}.{used}` is used, and `{part}.{also}` beside it is not: remove one of them"
                    ));
                }
                if found[0] != "json" {
                    warn(format!(
                        "YAML is the old form of this file: `onionskin migrate` writes `{part}.json`"
                    ));
                }
                start += source.text.len() + 1;
                paths.push(full.join(&file));
                sources.push((*part, found[0], source));
            }
            Err(error) => broken.push((*part, error)),
        }
    }
    let mut trees = Vec::new();
    let mut start = 0;
    for (part, ending, source) in &sources {
        match tree(source, ending, start) {
            Ok(tree) => trees.push((*part, tree, start)),
            Err(problem) => {
                let problem =
                    Problem { span: problem.span.start - start..problem.span.end - start, ..problem };
                broken.push((*part, CardError::new(source.clone(), vec![problem])));
            }
        }
        start += source.text.len() + 1;
    }
    if has_whole && !broken.is_empty() {
        return Err(DeckError::new(broken.into_iter().map(|(_, error)| error).collect(), Vec::new()));
    }
    let sources: Vec<Source> = sources.into_iter().map(|(_, _, source)| source).collect();
    let name = name(&full);
    let source = Source::joined(shown(&folder.join("agents.json")), &sources);
    Ok((Files { name, folder: full, paths, source, trees, broken }, warnings))
}

/// The name of a folder, also of `.`.
fn name(folder: &Path) -> String {
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    named(folder).or_else(|| folder.canonicalize().ok().as_deref().and_then(named)).unwrap_or_default()
}

fn tree(source: &Source, ending: &str, start: usize) -> Result<Option<Node>, Problem> {
    match ending {
        "json" => json::parse(&source.text, start).map(Some),
        _ => yaml::parse(&source.text, start),
    }
}

impl Files {
    /// A part: the content of its file, or its field in the file of all parts. The orchestrator's fields are beside the others there.
    pub(super) fn part(&self, part: &str) -> Part<'_> {
        if let Some((_, tree, start)) = self.trees.iter().find(|(name, ..)| *name == part) {
            return Part { value: tree.as_ref(), start: *start };
        }
        let Some((_, tree, start)) = self.trees.iter().find(|(name, ..)| *name == WHOLE) else {
            return Part { value: None, start: 0 };
        };
        let value = match part {
            "orchestrator" | "tools" => tree.as_ref(),
            part => tree.as_ref().and_then(|tree| field(tree, part)),
        };
        Part { value, start: *start }
    }

    /// Whether the file of a part cannot be read.
    pub(super) fn is_broken(&self, part: &str) -> bool {
        self.broken.iter().any(|(broken, _)| *broken == part)
    }

    /// The mistakes of files that cannot be read.
    pub(super) fn errors(&self) -> impl Iterator<Item = &CardError> {
        self.broken.iter().map(|(_, error)| error)
    }

    /// Whether all parts are in one file.
    pub(super) fn is_one(&self) -> bool {
        self.trees.iter().any(|(name, ..)| *name == WHOLE)
    }
}

fn field<'n>(tree: &'n Node, name: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &tree.value else { return None };
    entries.iter().find(|(key, _): &&(Key, Node)| key.text == name).map(|(_, value)| value)
}
