//! `filesystem.read`, `filesystem.write`, `filesystem.list`, `filesystem.edit` and `filesystem.search`: the files of one
//! folder. Feature `filesystem`, Unix only.
//!
//! The tools use the files of the root folder and nothing outside of it. The folder is held open, and each path is resolved from that handle by
//! the system, so `..`, absolute paths and links that lead out are errors, also if a link changes during the call. Links within the
//! folder work. Pipes, devices and sockets are refused. A hard link is the file itself, so a file outside that has a second name
//! in the folder can be read; a change leaves the outer name as it was.
//!
//! The root folder is the working directory in which the agent was built, or the [`Filesystem`] that the program provides. An agent that names
//! only `read`, `list` and `search` changes no file.
//!
//! ```
//! use onionskin::builtin::filesystem::Filesystem;
//! use onionskin::{ScriptedModel, ScriptedTurn, agent};
//! use serde_json::json;
//!
//! agent! {
//!     Librarian {
//! #       crate: onionskin,
//!         instruction: "Answer from the notes.",
//!         runtime: [filesystem.read, filesystem.list, filesystem.search],
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let notes = tempfile::tempdir()?;
//! std::fs::write(notes.path().join("cake.md"), "Plum cake: 40 minutes.\n")?;
//! let call = ScriptedTurn::call("filesystem_search", json!({ "pattern": "(?i)plum" }));
//! let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
//! let librarian = Librarian::builder().model(model).provide(Filesystem::at(notes.path())?);
//! assert_eq!(librarian.run("How long?").await?.text, "cake.md:1: Plum cake: 40 minutes.");
//! # Ok(()) }) }
//! ```

mod edit;
mod list;
mod page;
mod read;
mod replace;
mod root;
mod search;
mod tool;
mod walk;
mod write;

use onionskin_core::DynTool;

#[cfg(feature = "skills")]
pub(crate) use self::read::{page_arguments, read as read_page};
pub use self::root::{Filesystem, FilesystemError};
use self::tool::{FileTool, provided};
#[cfg(feature = "skills")]
pub(crate) use self::tool::{TIMEOUT, Work, on_thread};
#[cfg(feature = "skills")]
pub(crate) use self::walk::files;
use crate::source::Source;

impl Filesystem {
    /// Makes `filesystem.read` for this folder, for an agent that is declared by hand.
    ///
    /// ```
    /// use onionskin::builtin::filesystem::Filesystem;
    /// use onionskin::declaration::AgentDeclaration;
    ///
    /// let sources = Filesystem::at("src")?;
    /// let agent = AgentDeclaration::new().runtime_tool(sources.read_tool()).runtime_tool(sources.list_tool());
    /// # Ok::<_, onionskin::builtin::filesystem::FilesystemError>(())
    /// ```
    pub fn read_tool(&self) -> impl DynTool {
        FileTool::<read::Read>::new(Source::Own(self.clone()))
    }

    /// Makes `filesystem.write` for this folder, for an agent that is declared by hand.
    pub fn write_tool(&self) -> impl DynTool {
        FileTool::<write::Write>::new(Source::Own(self.clone()))
    }

    /// Makes `filesystem.list` for this folder, for an agent that is declared by hand.
    pub fn list_tool(&self) -> impl DynTool {
        FileTool::<list::List>::new(Source::Own(self.clone()))
    }

    /// Makes `filesystem.edit` for this folder, for an agent that is declared by hand.
    pub fn edit_tool(&self) -> impl DynTool {
        FileTool::<edit::Edit>::new(Source::Own(self.clone()))
    }

    /// Makes `filesystem.search` for this folder, for an agent that is declared by hand.
    pub fn search_tool(&self) -> impl DynTool {
        FileTool::<search::Search>::new(Source::Own(self.clone()))
    }
}

/// Makes the tool that `agent!` makes of `filesystem.read`: it reads a page of a text file, or an image.
///
/// `read(path, from, lines)` returns the text from the line `from` (1), at most `lines` lines and
/// [`max_output`](Filesystem::max_output) bytes, and says where to go on. A PNG, JPEG, GIF or WebP image of at most 5 MiB is
/// an image of the result. Other files that are not text in UTF-8 are errors. Effect: [`Pure`](onionskin_core::Effect::Pure).
pub fn read() -> impl DynTool {
    FileTool::<read::Read>::new(provided())
}

/// Makes the tool that `agent!` makes of `filesystem.write`: it makes a text file, or replaces a whole one.
///
/// `write(path, text)` makes missing folders. Others see the old file or the new one, and nothing between: the text is written to a new file in
/// the same folder, which then takes the name. The permissions of an existing file remain; a read-only one is an error. A cancelled call has
/// written all of the file or nothing of it. Effect: [`Idempotent`](onionskin_core::Effect::Idempotent).
pub fn write() -> impl DynTool {
    FileTool::<write::Write>::new(provided())
}

/// Makes the tool that `agent!` makes of `filesystem.list`: it lists a folder.
///
/// `list(path, depth, after)` returns the sorted paths of at most 1,000 entries; folders end in `/`, links and special files are marked. If
/// there are more, the result says with which `after` to go on. Links are not followed. Effect: [`Pure`](onionskin_core::Effect::Pure).
pub fn list() -> impl DynTool {
    FileTool::<list::List>::new(provided())
}

/// Makes the tool that `agent!` makes of `filesystem.edit`: it replaces a text in a file.
///
/// `edit(path, old, new, all)` replaces `old`, which is at exactly one place of the file; with `all` it replaces it everywhere. No place, and several without `all`, are
/// errors, and so is a file of more than 10 MiB, before the edit or after it. Edits by one program run one after another in a folder. If another program replaced the file meanwhile, the edit is done again on
/// its new content. (A program that writes into the file itself, without a new file, can lose what it writes at the same moment.)
/// Otherwise as [`write()`]. Effect: [`Once`](onionskin_core::Effect::Once), because a repeated edit can find `old` in what it wrote.
pub fn edit() -> impl DynTool {
    FileTool::<edit::Edit>::new(provided())
}

/// Makes the tool that `agent!` makes of `filesystem.search`: it finds lines in files, or files by their names.
///
/// `search(pattern, path, files)` returns lines that match the regular expression, as `path:line: text`; `files` is a glob for the names, such as `*.rs`, of at most 1,000 bytes.
/// Without `pattern` it returns the files of these names. At most 200 results, 20 seconds, 64 levels of folders; files of more than 4 MiB, binary
/// files and folders with the name `.git` are not searched, and of a long line its first 16 KiB are. Links are not followed. The result says what was left out. Effect:
/// [`Pure`](onionskin_core::Effect::Pure).
pub fn search() -> impl DynTool {
    FileTool::<search::Search>::new(provided())
}
