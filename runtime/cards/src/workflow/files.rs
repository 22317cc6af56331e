//! The files of a workflow folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::deck::DeckError;
use crate::file::read_file;
use crate::json;
use crate::paths::shown;
use crate::problem::{CardError, Problem};
use crate::source::Source;
use crate::yaml::{self, Key, Node, Value};

/// The files of a workflow that has one file per part.
const PARTS: [&str; 4] = ["orchestrator", "agents", "tools", "hooks"];

/// The file with all parts.
const WHOLE: &str = "workflow";

/// The endings of a file, the first is the one that counts.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The endings of the old form.
pub(crate) const YAML_ENDINGS: [&str; 2] = ["yaml", "yml"];

/// The names of all files that a workflow can have, without their endings.
pub(crate) fn file_names() -> impl Iterator<Item = &'static str> {
    PARTS.into_iter().chain([WHOLE])
}

/// The full paths of all files that a workflow can have. `folder` is its full path.
pub fn workflow_files(folder: &Path) -> Vec<PathBuf> {
    file_names().flat_map(|part| ENDINGS.map(|ending| folder.join(format!("{part}.{ending}")))).collect()
}

/// Whether a file can be one of a workflow, by its name.
pub fn is_workflow_file(path: &Path) -> bool {
    let is_ending = |ending: &OsStr| ENDINGS.iter().any(|known| ending == *known);
    path.file_stem().is_some_and(|stem| file_names().any(|part| stem == part))
        && path.extension().is_some_and(is_ending)
}

/// Whether a folder has the file that each workflow has.
pub fn is_workflow_folder(folder: &Path) -> bool {
    ["orchestrator", WHOLE].iter().any(|part| !endings(folder, part).is_empty())
}

/// The endings that the files of a part have.
fn endings(folder: &Path, part: &str) -> Vec<&'static str> {
    ENDINGS.into_iter().filter(|ending| folder.join(format!("{part}.{ending}")).exists()).collect()
}

/// The files as trees over one joined text.
pub(super) struct Files {
    /// The name of the folder.
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// The full paths of the files.
    pub(super) paths: Vec<PathBuf>,
    pub(super) source: Source,
    trees: Vec<Tree>,
    /// The parts that cannot be read, with their mistakes.
    broken: Vec<(&'static str, CardError)>,
}

/// The content of a file.
struct Tree {
    /// One of [`PARTS`], or [`WHOLE`].
    part: &'static str,
    value: Option<Node>,
    /// Where the file begins in the joined text.
    start: usize,
}

/// A field of the workflow, wherever it is written.
pub(super) struct Part<'f> {
    pub(super) value: Option<&'f Node>,
    /// The place for the mistake that a field is missing.
    pub(super) start: usize,
}

/// A file that is read: that of a part, or of all parts.
struct PartFile {
    part: &'static str,
    ending: &'static str,
    /// The ending of another file of the part, which is not read.
    unused: Option<&'static str>,
}

/// Finds and parses the files. Gives warnings too. A part that cannot be read is among the files, so that the others are read.
///
/// # Errors
/// Returns the files that are missing, or the file of all parts if it cannot be read.
pub(super) fn find(base: &Path, folder: &Path) -> Result<(Files, Vec<Problem>), DeckError> {
    let full = base.join(folder);
    let found = part_files(&full).map_err(|message| {
        let empty = Source::new(shown(folder), "");
        CardError::new(empty, vec![Problem { message, span: 0..0 }])
    })?;
    let (mut paths, mut sources, mut trees) = (Vec::new(), Vec::new(), Vec::new());
    let (mut warnings, mut broken, mut start) = (Vec::new(), Vec::new(), 0);
    for file in found {
        let name = format!("{}.{}", file.part, file.ending);
        let source = match read_file(&full.join(&name), shown(&folder.join(&name))) {
            Ok(source) => source,
            Err(error) => {
                broken.push((file.part, error));
                continue;
            }
        };
        warnings.extend(file.warnings().map(|message| Problem { message, span: start..start }));
        match tree(&source, file.ending, start) {
            Ok(value) => trees.push(Tree { part: file.part, value, start }),
            Err(problem) => {
                let span = problem.span.start - start..problem.span.end - start;
                broken.push((file.part, CardError::new(source.clone(), vec![Problem { span, ..problem }])));
            }
        }
        start += source.text.len() + 1;
        paths.push(full.join(&name));
        sources.push(source);
    }
    if broken.iter().any(|(part, _)| *part == WHOLE) {
        return Err(DeckError::new(broken.into_iter().map(|(_, error)| error).collect(), Vec::new()));
    }
    let name = name(&full);
    let source = Source::joined(shown(&folder.join("agents.json")), &sources);
    Ok((Files { name, folder: full, paths, source, trees, broken }, warnings))
}

/// The files in a folder.
///
/// # Errors
/// Returns which file is missing, or that the folder has all parts in one file and others beside it.
fn part_files(folder: &Path) -> Result<Vec<PartFile>, String> {
    if !folder.is_dir() {
        return Err("there is no such folder: a workflow is a folder with `orchestrator.json`, `agents.json`, `tools.json` and `hooks.json`, or with `workflow.json`".to_owned());
    }
    let file = |part: &'static str| {
        let endings = endings(folder, part);
        Some(PartFile { part, ending: endings.first()?, unused: endings.get(1).copied() })
    };
    let parts: Vec<PartFile> = PARTS.into_iter().filter_map(file).collect();
    match (file(WHOLE), &parts[..]) {
        (Some(whole), [first, ..]) => Err(format!(
            "the workflow is in `{WHOLE}.{}` and in `{}.{}`: write all of it in one file, or each part in its own",
            whole.ending, first.part, first.ending
        )),
        (Some(whole), []) => Ok(vec![whole]),
        (None, _) => {
            let is_missing = |part: &&str| parts.iter().all(|found| found.part != *part);
            match ["orchestrator", "agents"].into_iter().find(is_missing) {
                Some(missing) => Err(format!("the folder has no `{missing}.json`, and no `{WHOLE}.json`")),
                None => Ok(parts),
            }
        }
    }
}

impl PartFile {
    /// The messages for an old form, and for a file without effect.
    fn warnings(&self) -> impl Iterator<Item = String> {
        let Self { part, ending, unused } = self;
        let unused = unused.map(|unused| {
            format!("`{part}.{ending}` is used, and `{part}.{unused}` beside it is not: remove one of them")
        });
        let old = (*ending != "json")
            .then(|| format!("YAML is the old form of this file: `onionskin migrate` writes `{part}.json`"));
        unused.into_iter().chain(old)
    }
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
        if let Some(tree) = self.tree(part) {
            return Part { value: tree.value.as_ref(), start: tree.start };
        }
        let Some(whole) = self.tree(WHOLE) else { return Part { value: None, start: 0 } };
        let value = match part {
            "orchestrator" | "tools" => whole.value.as_ref(),
            part => whole.value.as_ref().and_then(|tree| field(tree, part)),
        };
        Part { value, start: whole.start }
    }

    fn tree(&self, part: &str) -> Option<&Tree> {
        self.trees.iter().find(|tree| tree.part == part)
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
        self.tree(WHOLE).is_some()
    }
}

fn field<'n>(tree: &'n Node, name: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &tree.value else { return None };
    entries.iter().find(|(key, _): &&(Key, Node)| key.value == name).map(|(_, value)| value)
}
