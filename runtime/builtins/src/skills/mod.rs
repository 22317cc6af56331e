//! `skills.read`: skills in the format of <https://agentskills.io>, as other tools have them. Feature `skills`, Unix only.
//!
//! A skill is a folder with a file `SKILL.md`: its front matter has a `name` and a `description`, its body the instructions. Other files can be beside it. The names and
//! descriptions go into the system prompt of agents that have the tool, and the model reads a skill when a task needs it.
//!
//! ```
//! use onionskin::builtin::skills::Skills;
//! use onionskin::{ScriptedModel, ScriptedTurn, agent};
//! use serde_json::json;
//!
//! agent! {
//!     Baker {
//! #       crate: onionskin,
//!         instruction: "Bake.",
//!         runtime: [skills.read],
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let folder = tempfile::tempdir()?;
//! std::fs::create_dir(folder.path().join("plum-cake"))?;
//! let text = "---\nname: plum-cake\ndescription: Bakes plum cakes.\n---\n\nStone the plums.\n";
//! std::fs::write(folder.path().join("plum-cake/SKILL.md"), text)?;
//!
//! let call = ScriptedTurn::call("skills_read", json!({ "name": "plum-cake" }));
//! let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
//! let baker = Baker::builder().model(model).provide(Skills::at(folder.path())?);
//! assert!(baker.run("A cake, please.").await?.text.ends_with("Stone the plums.\n"));
//! # Ok(()) }) }
//! ```

mod error;
mod front_matter;
mod load;
mod tool;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use onionskin_core::DynTool;

pub use self::error::SkillsError;
use self::load::Skill;
use self::tool::{ReadSkill, provided};
use crate::source::Source;

/// Skills, which programs provide to agents with [`provide`](onionskin_core::declaration::AgentBuilder::provide). Cheap to clone. Feature
/// `skills`, Unix only.
///
/// Names and descriptions are read once. The other text is read when the model asks for it, from the skill's own folder and nothing outside of it.
#[derive(Clone)]
pub struct Skills(Arc<Vec<Skill>>);

impl Skills {
    /// Reads the skills of a folder: each of its folders that contains `SKILL.md`. If the folder itself contains it, it is one skill. A folder that is a link is followed here.
    ///
    /// `name` may be missing: then it is the folder's. Other fields, such as `license` or `allowed-tools`, are for other tools and are not looked at.
    ///
    /// ```no_run
    /// use onionskin::builtin::skills::Skills;
    ///
    /// let skills = Skills::at("skills")?.and_at("/usr/share/skills")?;
    /// assert!(skills.names().any(|name| name == "plum-cake"));
    /// # Ok::<_, onionskin::builtin::skills::SkillsError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or contains no skill, and all mistakes in its skills, with file, line and column.
    pub fn at(folder: impl AsRef<Path>) -> Result<Self, SkillsError> {
        load::all(folder.as_ref(), Vec::new()).map(|skills| Self(Arc::new(skills)))
    }

    /// Adds the skills of another folder, as [`at`](Self::at).
    ///
    /// # Errors
    /// As [`at`](Self::at), also for a name that is in both folders.
    pub fn and_at(self, folder: impl AsRef<Path>) -> Result<Self, SkillsError> {
        load::all(folder.as_ref(), Arc::unwrap_or_clone(self.0)).map(|skills| Self(Arc::new(skills)))
    }

    /// The names of the skills, in the order in which the model sees them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|skill| &*skill.name)
    }

    /// The description of a skill.
    pub fn description(&self, name: &str) -> Option<&str> {
        self.get(name).map(|skill| &*skill.description)
    }

    /// Makes `skills.read` for these skills, for an agent that is declared by hand
    /// ([`AgentDeclaration::runtime_tool`](onionskin_core::declaration::AgentDeclaration::runtime_tool)).
    pub fn read_tool(&self) -> impl DynTool {
        ReadSkill::new(Source::Own(self.clone()))
    }

    fn get(&self, name: &str) -> Option<&Skill> {
        self.0.iter().find(|skill| &*skill.name == name)
    }
}

/// Shows the names.
impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Skills")?;
        f.debug_list().entries(self.names()).finish()
    }
}

/// Makes the tool that `agent!` makes of `skills.read`: it reads a file of a skill.
///
/// `read(name, file, from, lines)` returns `SKILL.md` and the names of the skill's other files, or the named file, in pages as
/// [`filesystem.read`](crate::filesystem::read). Effect: [`Pure`](onionskin_core::Effect::Pure).
///
/// The skills are the ones that the program provides. Otherwise they are in the first of these folders that exists in the working directory in which the agent was built:
/// `skills`, `.agents/skills`, `.fast-agent/skills`, `.claude/skills`. If none exists, or it contains a mistake, each run fails before its first turn
/// ([`RunError::ToolDefinition`](onionskin_core::RunError::ToolDefinition)).
pub fn read() -> impl DynTool {
    ReadSkill::new(provided())
}
