//! Finds skills in folders, and reads their names and descriptions.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::SkillsError;
use super::front_matter::{self, Mistake};
use crate::folder::{Folder, PathError};

/// The names of the file, of which some tools write the second one.
const FILES: [&str; 2] = ["SKILL.md", "skill.md"];
/// The most bytes in which the front matter ends.
const MAX_FRONT_MATTER: u64 = 64 * 1024;

/// A skill.
#[derive(Clone)]
pub(super) struct Skill {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    /// The name of its `SKILL.md`.
    pub(super) file: &'static str,
    /// Its folder, as the program named it.
    path: PathBuf,
    place: Place,
}

/// How the folder of a skill is opened.
#[derive(Clone)]
enum Place {
    /// It is this folder.
    Whole(Folder),
    /// It is a folder in this one.
    Inside(Folder, String),
}

impl Skill {
    pub(super) fn folder(&self) -> Result<Folder, PathError> {
        match &self.place {
            Place::Whole(folder) => Ok(folder.clone()),
            Place::Inside(folder, name) => folder.inner(name),
        }
    }
}

/// The known skills, and the skills of a folder.
pub(super) fn all(path: &Path, mut skills: Vec<Skill>) -> Result<Vec<Skill>, SkillsError> {
    let before = skills.len();
    let read = |source| SkillsError::Read { path: path.to_owned(), source };
    let folder = Folder::open(path).map_err(read)?;
    let mut problems = Vec::new();
    let mut add = |found: Result<Option<Skill>, SkillsError>| match found {
        Ok(Some(skill)) => match skills.iter().find(|known| known.name == skill.name) {
            Some(known) => problems.push(SkillsError::Twice {
                name: skill.name.to_string(),
                first: known.path.clone(),
                second: skill.path,
            }),
            None => skills.push(skill),
        },
        Ok(None) => {}
        Err(problem) => problems.push(problem),
    };
    match skill(path, &Place::Whole(folder.clone()), &folder) {
        Ok(None) => {
            let mut names = Vec::new();
            for entry in folder.handle().entries().map_err(read)? {
                names.push(entry.map_err(read)?.file_name());
            }
            names.sort();
            for name in names.iter().filter_map(|name| name.to_str()) {
                add(inner(&path.join(name), &folder, name));
            }
        }
        found => add(found),
    }
    match problems.len() {
        0 if skills.len() == before => Err(SkillsError::None { path: path.to_owned() }),
        0 => Ok(skills),
        1 => Err(problems.swap_remove(0)),
        _ => Err(SkillsError::Several(problems)),
    }
}

/// The skill in an entry of a folder, if there is one.
fn inner(path: &Path, folder: &Folder, name: &str) -> Result<Option<Skill>, SkillsError> {
    match folder.inner(name) {
        Ok(inner) => skill(path, &Place::Inside(folder.clone(), name.to_owned()), &inner),
        // The person who made the link decided that it is a skill. The model cannot make one.
        Err(PathError::Outside(_)) => match Folder::open(path) {
            Ok(linked) => skill(path, &Place::Whole(linked.clone()), &linked),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(source) => Err(SkillsError::Read { path: path.to_owned(), source }),
        },
        // A file beside the skills, such as a readme.
        Err(_) => Ok(None),
    }
}

/// Reads the skill of a folder; `None` if there is no `SKILL.md`.
fn skill(path: &Path, place: &Place, folder: &Folder) -> Result<Option<Skill>, SkillsError> {
    for file in FILES {
        let of = |source| SkillsError::Read { path: path.join(file), source };
        let opened = match folder.file(file) {
            Ok(opened) => opened,
            Err(PathError::Missing(_)) => continue,
            Err(error) => return Err(of(io::Error::other(error))),
        };
        let mut bytes = Vec::new();
        opened.take(MAX_FRONT_MATTER).read_to_end(&mut bytes).map_err(of)?;
        // Of a long file the rest may begin within a character.
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Err(of(io::Error::other("it is not text in UTF-8"))),
        };
        let front = front_matter::read(text).map_err(|Mistake { line, column, problem }| {
            SkillsError::FrontMatter { path: path.join(file), line, column, problem }
        })?;
        let own = || path.file_name().map(|name| name.to_string_lossy().into_owned());
        let Some(name) = front.name.or_else(own) else {
            let problem = "`name` is missing: write the name of the skill".to_owned();
            return Err(SkillsError::FrontMatter { path: path.join(file), line: 1, column: 1, problem });
        };
        return Ok(Some(Skill {
            name: name.into(),
            description: front.description.into(),
            file,
            path: path.to_owned(),
            place: place.clone(),
        }));
    }
    Ok(None)
}
