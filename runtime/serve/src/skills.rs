//! Folders of skills, which clients read as resources (SEP-2640). The protocol library reads and describes them.

use std::fs;
use std::path::PathBuf;

use rmcp::handler::server::skill_catalog::SkillCatalog;

use crate::error::ServeError;

/// Reads a folder.
///
/// # Errors
/// Returns an error if it cannot be read, has no skill, or has one that is not valid.
pub(crate) async fn read(folder: PathBuf) -> Result<SkillCatalog, ServeError> {
    let read = tokio::task::spawn_blocking(move || catalog(folder)).await;
    read.unwrap_or_else(|error| Err(ServeError::Skills { folder: PathBuf::new(), reason: error.to_string() }))
}

fn catalog(folder: PathBuf) -> Result<SkillCatalog, ServeError> {
    let failed = |folder, reason: String| ServeError::Skills { folder, reason };
    let read = SkillCatalog::from_dir(&folder).map_err(|error| failed(folder.clone(), error.to_string()))?;
    let entries = fs::read_dir(&folder).map_err(|error| failed(folder.clone(), error.to_string()))?;
    let skills = read.skills();
    let mut folders = entries.flatten().map(|entry| entry.path()).filter(|path| path.join(FILE).is_file());
    // The protocol library leaves out what it cannot read.
    let is_read = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        skills.iter().any(|skill| skill.uri == format!("skill://{name}/{FILE}"))
    };
    if let Some(left_out) = folders.find(|path| !is_read(path)) {
        return Err(failed(left_out, format!("its `{FILE}` needs {FRONT_MATTER}")));
    }
    if skills.is_empty() {
        return Err(failed(folder, format!("none of its folders has a `{FILE}` with {FRONT_MATTER}")));
    }
    Ok(read)
}

const FILE: &str = "SKILL.md";
const FRONT_MATTER: &str = "front matter that has `name`, which is the folder's, and `description`";
