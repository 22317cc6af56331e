//! The files that paths of cards and of folders name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use onionskin_vocabulary::nearest;

use crate::endings::is_card;
use crate::paths::{normal, shown};
use crate::problem::{CardError, Problem};
use crate::source::Source;

/// Whether this is an address of the web, and not a path.
pub fn is_address(path: &str) -> bool {
    path.contains("://")
}

/// The files of paths, and the paths that lead nowhere.
#[derive(Debug, Clone, Default)]
pub struct CardPaths {
    /// The files, each once, in the order of the paths and of the names in a folder.
    pub files: Vec<CardPath>,
    /// The mistakes of the other paths.
    pub errors: Vec<CardError>,
}

/// A file that is read as a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardPath {
    /// Its path, from the base folder on.
    pub path: PathBuf,
    /// The path as messages show it.
    pub name: String,
    /// Whether only its folder was named.
    pub is_of_folder: bool,
}

/// The files that are read as cards: the files of the paths, and all cards in folders. Paths begin at `base`.
pub fn find_cards<P: AsRef<Path>>(base: &Path, paths: &[P]) -> CardPaths {
    let mut found = CardPaths::default();
    let mut known: HashMap<OsString, usize> = HashMap::new();
    for path in paths {
        let files = match card_files(base, path.as_ref()) {
            Ok(files) => files,
            Err(error) => {
                found.errors.push(error);
                continue;
            }
        };
        let mut folders = HashMap::new();
        for file in files {
            let is_of_folder = file != path.as_ref();
            let full = base.join(&file);
            match known.entry(real(&full, &mut folders).into_os_string()) {
                Entry::Occupied(index) => found.files[*index.get()].is_of_folder &= is_of_folder,
                Entry::Vacant(place) => {
                    place.insert(found.files.len());
                    found.files.push(CardPath { path: full, name: shown(&file), is_of_folder });
                }
            }
        }
    }
    found
}

/// The path that a file has by whatever path its folder is named. `folders` are the paths of folders that were looked up.
fn real(file: &Path, folders: &mut HashMap<PathBuf, PathBuf>) -> PathBuf {
    let file = normal(file);
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return file };
    if let Some(known) = folders.get(folder) {
        return known.join(name);
    }
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = fs::canonicalize(named).unwrap_or_else(|_| folder.to_owned());
    let file = real.join(name);
    folders.insert(folder.to_owned(), real);
    file
}

/// The file, or the cards of the folder in the order of their names. `path` begins at `base`, and so do the files.
///
/// # Errors
/// Returns an error if there is no such file, or if the folder has no cards.
fn card_files(base: &Path, path: &Path) -> Result<Vec<PathBuf>, CardError> {
    let whole =
        |message: String| CardError::new(Source::new(shown(path), ""), vec![Problem { message, span: 0..0 }]);
    let full = base.join(path);
    if !full.is_dir() {
        return if full.exists() {
            Ok(vec![path.to_owned()])
        } else {
            Err(whole(missing(base, path)).with_missing_file())
        };
    }
    let unread = |error: std::io::Error| whole(format!("the folder cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(&full).map_err(unread)? {
        let name = PathBuf::from(entry.map_err(unread)?.file_name());
        if is_card(&name) && !name.to_string_lossy().starts_with('.') {
            files.push(path.join(name));
        }
    }
    files.sort();
    if files.is_empty() {
        let message = "the folder has no cards: a card is a file with the ending `.md`, `.yaml` or `.yml`";
        return Err(whole(message.to_owned()));
    }
    Ok(files)
}

/// The error for a file that does not exist, with the name in its folder that is most like it.
fn missing(base: &Path, path: &Path) -> String {
    if let Some(folder) = folder_of_pattern(path) {
        return format!(
            "patterns are not supported here: name the folder, `{folder}`, or each card in a list"
        );
    }
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let near = fs::read_dir(base.join(folder)).ok().and_then(|entries| {
        let names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        let wanted = path.file_name()?.to_string_lossy();
        nearest(&wanted, names.iter().map(String::as_str)).map(|near| shown(&folder.join(near)))
    });
    match near {
        Some(near) => format!("there is no file or folder `{}`; did you mean `{near}`?", shown(path)),
        None => format!("there is no file or folder `{}`", shown(path)),
    }
}

/// The folder whose files a pattern such as `cards/*.md` means.
fn folder_of_pattern(path: &Path) -> Option<String> {
    let shown = shown(path);
    let (before, _) = shown.split_once('*')?;
    Some(before.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| folder.to_owned()))
}
