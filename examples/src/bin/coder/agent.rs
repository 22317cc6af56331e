//! The agent, what a model would do, and the project that it mends.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use onionskin::budget::{Budget, BudgetScope};
use onionskin::{ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

pub(crate) const TASK: &str = "The test of this project fails. Mend it.";

agent! {
    pub(crate) Coder {
        instruction: "Run `sh test.sh` to see what fails, mend the program, and show that its test passes. Change nothing else.",
        runtime: [filesystem.read, filesystem.search, filesystem.edit, shell.execute],
        approval: ["it changes a file" for [filesystem.edit], "it runs a command" for [shell.execute]],
    }
}

/// What a session may cost, however often it is continued.
pub(crate) fn budget() -> Budget {
    Budget::new("mending", BudgetScope::Session).tokens(100_000).calls(20).time(Duration::from_mins(5))
}

/// A shop that does not deliver free of charge at the price from which it should.
const FILES: [(&str, &str); 2] = [
    (
        "shop.sh",
        r#"# The cost of a delivery in cents: none from 5000 cents on.
delivery() {
  if [ "$1" -gt 5000 ]; then echo 0; else echo 490; fi
}
"#,
    ),
    (
        "test.sh",
        r#". ./shop.sh
failed=0
expect() {
  cost=$(delivery "$2")
  [ "$cost" = "$1" ] || { echo "delivery of $2: expected $1, got $cost"; failed=1; }
}
expect 490 4999
expect 0 5000
expect 0 9900
[ $failed = 1 ] || echo "all tests pass"
exit $failed
"#,
    ),
];

/// Makes the project, unless an earlier run made it. One that was ended in the middle leaves no half of it there.
pub(crate) fn make_project(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let new = folder.with_extension("new");
    fs::create_dir_all(&new)?;
    for (name, text) in FILES {
        fs::write(new.join(name), text)?;
    }
    fs::rename(new, folder)
}

/// What a model would do. It commits the change if there is a repository.
pub(crate) fn script(repository: Option<&str>) -> ScriptedModel {
    let test = || json!({ "command": "sh test.sh" });
    let mut turns = vec![
        ScriptedTurn::call("shell_execute", test()),
        ScriptedTurn::call("filesystem_search", json!({ "pattern": "5000" })),
        ScriptedTurn::call("filesystem_read", json!({ "path": "shop.sh" })),
        ScriptedTurn::call(
            "filesystem_edit",
            json!({ "path": "shop.sh", "old": "-gt 5000", "new": "-ge 5000" }),
        ),
        ScriptedTurn::call("shell_execute", test()),
    ];
    if let Some(repo_path) = repository {
        turns.extend([
            ScriptedTurn::call("git__git_diff_unstaged", json!({ "repo_path": repo_path })),
            ScriptedTurn::call("git__git_add", json!({ "repo_path": repo_path, "files": ["shop.sh"] })),
            ScriptedTurn::call(
                "git__git_commit",
                json!({ "repo_path": repo_path, "message": "Deliver free of charge from 5000 cents on" }),
            ),
        ]);
    }
    turns.push(ScriptedTurn::say(
        "A delivery of exactly 5000 cents was charged, because the comparison left it out. I mended `shop.sh`, and all tests pass.",
    ));
    ScriptedModel::turns(turns)
}
