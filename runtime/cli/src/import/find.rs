//! Finds the files of agents.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use onionskin_cards::is_card;

use super::fields::Kind;

/// The most files that are looked at.
const MOST_FILES: usize = 10_000;

/// Folders that have no agents.
const NO_AGENTS: [&str; 3] = [".git", "node_modules", "target"];

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    /// The program that its path says.
    pub(super) kind: Option<Kind>,
    /// Whether it was found in a folder. One that is no agent is then no mistake.
    pub(super) is_of_folder: bool,
}

/// The files of these paths: those of folders are in the order of their names, and none of the folder `out` in them.
///
/// # Errors
/// Returns the path that cannot be read.
pub(super) fn find(paths: &[PathBuf], from: Option<Kind>, out: &Path) -> Result<Vec<Candidate>, String> {
    let out = out.canonicalize().ok();
    let mut found: Vec<Candidate> = Vec::new();
    for path in paths {
        let is_of_folder = path.is_dir();
        let files = if is_of_folder {
            in_folder(path, out.as_deref()).map_err(|error| format!("`{}`: {error}", path.display()))?
        } else {
            vec![path.clone()]
        };
        for path in files {
            if found.iter().all(|known| known.path != path) {
                found.push(Candidate { kind: from.or_else(|| kind(&path)), path, is_of_folder });
            }
        }
    }
    Ok(found)
}

/// The files with the endings of cards in a folder and in the folders below it.
fn in_folder(folder: &Path, out: Option<&Path>) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link to a folder could lead back.
            if entry.file_type()?.is_dir() {
                let is_out = out.is_some() && path.canonicalize().ok().as_deref() == out;
                if !is_out && !NO_AGENTS.iter().any(|name| entry.file_name() == *name) {
                    folders.push(path);
                }
            } else if is_card(&path) {
                if files.len() == MOST_FILES {
                    return Err(io::Error::other(format!(
                        "it has more than {MOST_FILES} files: name the folder of the agents"
                    )));
                }
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The program that a path says.
fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    if [".agent.md", ".chatmode.md"].iter().any(|ending| name.ends_with(ending)) {
        return Some(Kind::Vscode);
    }
    let path = std::path::absolute(path).ok()?;
    // The innermost folder says most.
    path.ancestors().skip(1).find_map(|folder| {
        let inside = folder.parent().and_then(Path::file_name).and_then(OsStr::to_str);
        match (inside, folder.file_name()?.to_str()?) {
            (Some(".claude"), "agents") => Some(Kind::Claude),
            (Some(".github"), "agents" | "chatmodes") => Some(Kind::Vscode),
            (_, "agent-cards" | "agent_cards" | "tool-cards" | ".fast-agent") => Some(Kind::FastAgent),
            // A plugin.
            (_, "agents") if folder.with_file_name(".claude-plugin").join("plugin.json").is_file() => {
                Some(Kind::Claude)
            }
            _ => None,
        }
    })
}

/// Whether a file is in a folder `agents`.
pub(super) fn is_in_agents(path: &Path) -> bool {
    let path = std::path::absolute(path).unwrap_or_default();
    path.ancestors().skip(1).any(|folder| folder.file_name() == Some(OsStr::new("agents")))
}

/// Whether the name of a file says that it is something else than an agent: a page, a skill, a prompt or a command.
pub(super) fn is_page(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    matches!(&*name, "readme.md" | "skill.md")
        || [".prompt.md", ".instructions.md"].iter().any(|ending| name.ends_with(ending))
        || path.parent().is_some_and(|folder| folder.ends_with("commands"))
}

/// The name of a file without its endings.
pub(super) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".agent").or_else(|| stem.strip_suffix(".chatmode")).unwrap_or(&stem);
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_path_says_the_program() {
        for (path, expected) in [
            ("/a/.claude/agents/b/c.md", Some(Kind::Claude)),
            ("/a/.github/agents/c.md", Some(Kind::Vscode)),
            ("/a/.claude/agents/c.agent.md", Some(Kind::Vscode)),
            ("c.chatmode.md", Some(Kind::Vscode)),
            ("/a/.fast-agent/agent-cards/c.md", Some(Kind::FastAgent)),
            ("/a/src/agent_cards/c.md", Some(Kind::FastAgent)),
            ("/a/agents/c.md", None),
        ] {
            assert_eq!(kind(Path::new(path)), expected, "{path}");
        }
        assert_eq!(stem(Path::new("a/b.agent.md")), "b");
        assert_eq!(stem(Path::new("a/b.c.yaml")), "b.c");
    }
}
