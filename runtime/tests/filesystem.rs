//! The tools `filesystem.*`: what they do, and what they refuse.
#![allow(missing_docs, clippy::unwrap_used, clippy::format_collect)]

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onionskin::builtin::filesystem::Filesystem;
use onionskin::testing::context;
use onionskin::{Args, DynTool, ErrorKind, Exit, Secret, ToolContext, ToolOutput, ToolResult};
use serde_json::{Value, json};

#[path = "filesystem/agents.rs"]
mod agents;
#[path = "filesystem/edits.rs"]
mod edits;
#[path = "filesystem/hostile.rs"]
mod hostile;
#[path = "filesystem/listings.rs"]
mod listings;
#[path = "filesystem/pages.rs"]
mod pages;
#[path = "filesystem/searches.rs"]
mod searches;
#[path = "filesystem/swaps.rs"]
mod swaps;

/// A folder with another one in it, `root`, which the tools have. It is removed at the end.
struct Place {
    all: tempfile::TempDir,
    filesystem: Filesystem,
}

impl Deref for Place {
    type Target = Filesystem;

    fn deref(&self) -> &Filesystem {
        &self.filesystem
    }
}

impl Place {
    fn new() -> Self {
        let all = tempfile::tempdir().unwrap();
        fs::create_dir(all.path().join("root")).unwrap();
        let filesystem = Filesystem::at(all.path().join("root")).unwrap();
        Self { all, filesystem }
    }

    /// Makes a file in the root folder, with its folders.
    fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.all.path().join("root").join(path)
    }

    /// A path beside the root folder.
    fn outside(&self, path: &str) -> PathBuf {
        self.all.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    async fn call(&self, name: &str, args: Value) -> ToolResult {
        match name {
            "read" => call(&self.read_tool(), args).await,
            "write" => call(&self.write_tool(), args).await,
            "list" => call(&self.list_tool(), args).await,
            "edit" => call(&self.edit_tool(), args).await,
            "search" => call(&self.search_tool(), args).await,
            other => panic!("{other}"),
        }
    }

    /// The text of the result.
    async fn ok(&self, name: &str, args: Value) -> String {
        self.call(name, args).await.unwrap().to_text().into_owned()
    }

    /// The text of the error. It does not show where the root folder is.
    async fn error(&self, name: &str, args: Value) -> String {
        let text = failure(self.call(name, args).await);
        assert!(!text.contains(&*self.all.path().to_string_lossy()), "{text}");
        text
    }

    /// The names of all files in the root folder, to find what a tool left behind.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path("")).unwrap().collect::<Result<_, _>>().unwrap();
        names.sort_by_key(fs::DirEntry::file_name);
        names.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

async fn call(tool: &impl DynTool, args: Value) -> ToolResult {
    call_in(&ToolContext::detached("filesystem"), tool, args).await
}

async fn call_in(cx: &ToolContext, tool: &impl DynTool, args: Value) -> ToolResult {
    let mut args = Args::from(args.to_string());
    let result = tokio::time::timeout(Duration::from_mins(1), tool.run_dyn(cx, &mut args)).await;
    result.expect("it hangs")
}

/// The report of a failed call.
fn failure(result: ToolResult) -> String {
    match result.unwrap_err() {
        Exit::Tool(error) => error.to_text().into_owned(),
        other => panic!("{other}"),
    }
}

/// The content blocks as texts: the content, and the note after it.
fn blocks(output: &ToolOutput) -> Vec<String> {
    output.content().iter().map(|block| block.as_text().unwrap().to_owned()).collect()
}
