//! Folders of skills, which clients read as resources (SEP-2640). The protocol library reads and describes them.

use std::path::PathBuf;

use rmcp::handler::server::skill_catalog::SkillCatalog;

use crate::error::ServeError;

/// Reads a folder.
///
/// # Errors
/// Returns an error if it cannot be read, or has no skill.
pub(crate) async fn read(folder: PathBuf) -> Result<SkillCatalog, ServeError> {
    let path = folder.clone();
    let read = tokio::task::spawn_blocking(move || SkillCatalog::from_dir(path)).await;
    let reason = match read {
        Ok(Ok(skills)) if !skills.skills().is_empty() => return Ok(skills),
        Ok(Ok(_)) => {
            "none of its folders has a `SKILL.md` whose front matter has `name`, which is the folder's, and `description`".to_owned()
        }
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    Err(ServeError::Skills { folder, reason })
}
