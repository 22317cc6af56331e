//! From the old form of a workflow's files, YAML, to JSON.

mod comments;
mod write;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::deck::DeckError;
use crate::file::read_file;
use crate::paths::shown;
use crate::problem::{CardError, Problem};
use crate::source::Source;
use crate::workflow::{YAML_ENDINGS, file_names, workflow_files};
use crate::yaml;

/// The files of a workflow folder that are YAML, as JSON. Nothing is written before [`Self::write`].
#[derive(Debug, Clone, Default)]
pub struct Migration {
    /// The files that become JSON.
    pub files: Vec<Migrated>,
    /// The files whose JSON is there and says the same. [`Self::write`] leaves them as they are.
    pub written: Vec<Migrated>,
    /// The files whose JSON is there and says something else, each with that JSON, as messages show them. They are in `left` too.
    pub different: Vec<(String, String)>,
    /// The files that do not, each with why: their JSON, or other YAML, counts already.
    pub left: Vec<(String, String)>,
}

/// A file that becomes JSON.
#[derive(Debug, Clone)]
pub struct Migrated {
    /// The YAML, as messages show it.
    pub name: String,
    /// The JSON, as messages show it.
    pub json_name: String,
    /// The JSON.
    pub json: String,
    /// The number of lines with a comment, which JSON cannot hold.
    pub comments: usize,
    from: PathBuf,
    to: PathBuf,
    /// The YAML as it was read.
    text: String,
}

/// Why a file was not written or removed. Those before it were.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct MigrateError {
    /// The file, as messages show it.
    pub file: String,
    source: io::Error,
}

/// Reads the YAML of a workflow folder, which is relative to `base`; messages show it as it is given.
///
/// # Errors
/// Returns the files that cannot be read or are not YAML, or that the folder does not exist or has no files of a workflow.
pub fn migrate(base: &Path, folder: &Path) -> Result<Migration, DeckError> {
    let full = base.join(folder);
    let refused = if !full.is_dir() {
        Some("there is no such folder: name the folder of a workflow, `workflows/Generator`")
    } else if workflow_files(&full).iter().all(|file| file.symlink_metadata().is_err()) {
        Some(
            "the folder has no files of a workflow, such as `orchestrator.yaml`: name the folder of one, `workflows/Generator`",
        )
    } else {
        None
    };
    if let Some(message) = refused.map(str::to_owned) {
        let error = CardError::new(Source::new(shown(folder), ""), vec![Problem { message, span: 0..0 }]);
        return Err(DeckError::from(error));
    }
    let (mut migration, mut errors) = (Migration::default(), Vec::new());
    for part in file_names() {
        let json_name = format!("{part}.json");
        let mut counts = full.join(&json_name).symlink_metadata().is_ok().then(|| json_name.clone());
        for ending in YAML_ENDINGS {
            let name = format!("{part}.{ending}");
            if !full.join(&name).exists() {
                continue;
            }
            let shown_name = shown(&folder.join(&name));
            if let Some(counts) = &counts {
                if *counts == json_name {
                    if let Some(file) = migrated_json(&full, folder, part, &name) {
                        migration.written.push(file);
                        continue;
                    }
                    migration.different.push((shown_name.clone(), shown(&folder.join(&json_name))));
                }
                migration
                    .left
                    .push((shown_name, format!("`{counts}` counts, and this file beside it does not")));
                continue;
            }
            counts = Some(name.clone());
            match migrated(&full, folder, part, &name) {
                Ok(file) => migration.files.push(file),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(migration) } else { Err(DeckError::new(errors, Vec::new())) }
}

/// A file whose JSON is there and says the same.
fn migrated_json(full: &Path, folder: &Path, part: &str, name: &str) -> Option<Migrated> {
    let mut file = migrated(full, folder, part, name).ok()?;
    let there = read_file(&file.to, file.json_name.clone()).ok()?;
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    if value(&there.text)? != value(&file.json)? {
        return None;
    }
    file.json = there.text.to_string();
    Some(file)
}

fn migrated(full: &Path, folder: &Path, part: &str, name: &str) -> Result<Migrated, CardError> {
    let json_name = format!("{part}.json");
    let source = read_file(&full.join(name), shown(&folder.join(name)))?;
    let node = match yaml::parse(&source.text, 0) {
        Ok(node) => node.filter(|node| !node.is_null()),
        Err(problem) => return Err(CardError::new(source, vec![problem])),
    };
    let json = match (&node, part) {
        // The keys are texts, so it does not fail.
        (Some(node), _) => serde_json::to_string_pretty(node).unwrap_or_default() + "\n",
        (None, "hooks") => "[]\n".to_owned(),
        (None, _) => "{}\n".to_owned(),
    };
    Ok(Migrated {
        name: source.name.to_string(),
        json_name: shown(&folder.join(&json_name)),
        json,
        comments: comments::count(&source.text, node.as_ref()),
        from: full.join(name),
        to: full.join(&json_name),
        text: source.text.to_string(),
    })
}

impl Migration {
    /// Writes the JSON. A file that exists is never replaced, and each is there as a whole or not at all.
    ///
    /// # Errors
    /// Returns the first file that cannot be written.
    pub fn write(&self) -> Result<(), MigrateError> {
        for file in &self.files {
            write::new_file(&file.to, file.json.as_bytes())
                .map_err(|source| MigrateError { file: file.json_name.clone(), source })?;
        }
        Ok(())
    }

    /// Removes the YAML whose JSON is written, by [`Self::write`] or before.
    ///
    /// # Errors
    /// Returns the first file that cannot be removed, that changed since it was read, or whose JSON is not there.
    pub fn remove_yaml(&self) -> Result<(), MigrateError> {
        for file in self.files.iter().chain(&self.written) {
            file.remove().map_err(|source| MigrateError { file: file.name.clone(), source })?;
        }
        Ok(())
    }
}

impl Migrated {
    fn remove(&self) -> io::Result<()> {
        if fs::read_to_string(&self.to)? != self.json {
            return Err(io::Error::other("its JSON is another one by now, so it was not removed"));
        }
        if fs::read_to_string(&self.from)? != self.text {
            return Err(io::Error::other("it changed after it was read, so it was not removed"));
        }
        fs::remove_file(&self.from)
    }
}
