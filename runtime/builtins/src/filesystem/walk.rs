//! The entries of a folder, sorted and bounded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;

use cap_std::fs::{Dir, FileType, FileTypeExt as _};
use onionskin_core::ToolResult;

use super::tool::Work;
use crate::names::{shown, shown_bytes};

/// What an entry is, without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    Link,
    Special(&'static str),
}

impl Kind {
    fn new(file_type: &io::Result<FileType>) -> Self {
        match file_type {
            Ok(kind) if kind.is_dir() => Self::Folder,
            Ok(kind) if kind.is_file() => Self::File,
            Ok(kind) if kind.is_symlink() => Self::Link,
            Ok(kind) if kind.is_fifo() => Self::Special("pipe"),
            Ok(kind) if kind.is_socket() => Self::Special("socket"),
            Ok(_) => Self::Special("device"),
            // It was removed since, or this cannot be known.
            Err(_) => Self::Special("unknown"),
        }
    }
}

/// An entry. Its text orders entries; it has a replacement character for each byte that is not UTF-8.
#[derive(Debug, Clone)]
pub(super) struct FolderEntry {
    pub(super) text: String,
    pub(super) name: OsString,
    pub(super) kind: Kind,
}

impl FolderEntry {
    /// The entry's path, with the path of its folder; `None` if it is not UTF-8.
    pub(super) fn path(&self, folder: &str) -> Option<String> {
        Some(format!("{folder}{}", self.name.to_str()?))
    }

    /// The line of a listing.
    pub(super) fn line(&self, folder: &str) -> String {
        let path = match self.path(folder) {
            Some(path) => shown(&path).into_owned(),
            None => {
                let mut path = OsString::from(folder);
                path.push(&self.name);
                shown_bytes(&path)
            }
        };
        let slash = if self.kind == Kind::Folder { "/" } else { "" };
        let note = match self.kind {
            Kind::Link => " (link)".to_owned(),
            Kind::Special(kind) => format!(" ({kind})"),
            Kind::Folder | Kind::File => String::new(),
        };
        let unreachable = if self.name.to_str().is_none() { " (not UTF-8: cannot be opened)" } else { "" };
        format!("{path}{slash}{note}{unreachable}")
    }
}

/// The first entries of a folder, by their names, from `from` on. Returns whether there are more.
pub(super) fn entries(
    work: &Work,
    dir: &Dir,
    from: Option<&str>,
    most: usize,
) -> ToolResult<io::Result<(Vec<FolderEntry>, bool)>> {
    let mut first = BTreeMap::new();
    let mut more = false;
    let all = match dir.entries() {
        Ok(all) => all,
        Err(error) => return Ok(Err(error)),
    };
    for (number, entry) in all.enumerate() {
        if number % 256 == 0 {
            work.go_on()?;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Ok(Err(error)),
        };
        let name = entry.file_name();
        let text = name.to_string_lossy().into_owned();
        if from.is_some_and(|from| text.as_str() < from) {
            continue;
        }
        first.insert((text, name), Kind::new(&entry.file_type()));
        if first.len() > most {
            first.pop_last();
            more = true;
        }
    }
    let entry = |((text, name), kind)| FolderEntry { text, name, kind };
    Ok(Ok((first.into_iter().map(entry).collect(), more)))
}

/// Adds the paths of the files in a folder and its folders, at most so many. Returns whether there are more.
#[cfg(feature = "skills")]
pub(crate) fn files(
    work: &Work,
    dir: &Dir,
    prefix: &str,
    depth: u32,
    most: usize,
    paths: &mut Vec<String>,
) -> ToolResult<bool> {
    // A folder that cannot be listed has no files to read.
    let Ok((entries, mut more)) = entries(work, dir, None, most + 1)? else { return Ok(false) };
    for entry in entries {
        let Some(path) = entry.path(prefix) else { continue };
        match entry.kind {
            Kind::Folder if depth > 1 => {
                if let Ok(inner) = dir.open_dir(&entry.name) {
                    more |= files(work, &inner, &format!("{path}/"), depth - 1, most, paths)?;
                }
            }
            Kind::File if paths.len() < most => paths.push(path),
            Kind::File => return Ok(true),
            Kind::Folder | Kind::Link | Kind::Special(_) => {}
        }
    }
    Ok(more)
}

/// A folder's path before the names of its entries: empty for the root, otherwise with a slash at its end.
pub(super) fn prefix(path: &str) -> String {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/.").unwrap_or(path);
    if matches!(path, "" | ".") { String::new() } else { format!("{path}/") }
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn a6_entries_are_shown_with_the_shortest_form_of_their_folder() {
        for (path, shown) in [
            (".", ""),
            ("./", ""),
            ("././/.", ""),
            ("src", "src/"),
            ("./src//", "src/"),
            ("src/.", "src/"),
            ("..", "../"),
        ] {
            assert_eq!(prefix(path), shown, "{path}");
        }
    }
}
