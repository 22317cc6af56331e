//! A program is compiled again when a card or a workflow that it declares agents by changes, or a file that it names, or the lock file of
//! MCP servers.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

const CARD: &str = "---\nfunction_tools: [tools.rs:add_one]\n---\nAdd.\n";
const TOOLS: &str = "/// Adds one.\n#[onionskin::tool]\npub fn add_one(x: i64) -> i64 {\n    x + 1\n}\n";

/// A package of this program.
fn package(name: &str, program: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::create_dir_all(folder.join("cards")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n\
         [dependencies]\nonionskin = {{ path = \"{}/runtime\", features = [\"cards\"] }}\n",
        root.display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(folder.join("src/main.rs"), format!("onionskin::agent!{program}\n\nfn main() {{}}\n")).unwrap();
    fs::write(folder.join("cards/clerk.md"), CARD).unwrap();
    fs::write(folder.join("cards/tools.rs"), TOOLS).unwrap();
    folder
}

/// What cargo says of the package: nothing if it compiles.
fn check(folder: &Path) -> String {
    let words = said(folder);
    if words.contains("error") { words } else { String::new() }
}

/// What cargo says of the package, warnings too.
fn said(folder: &Path) -> String {
    let mut cargo = onionskin_ui_tests::cargo(env!("CARGO_TARGET_TMPDIR"), "check");
    let output = cargo.current_dir(folder).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), !words.contains("error"), "{words}");
    words
}

#[test]
fn c2_a_changed_card_or_file_is_compiled_again() {
    let folder = package("rebuild", "(card = \"cards/clerk.md\");");
    let card = folder.join("cards/clerk.md");
    assert_eq!(check(&folder), "");

    fs::write(&card, CARD.replace("add_one", "add_oen")).unwrap();
    let words = check(&folder);
    assert!(words.contains("`tools.rs` has no `add_oen`; did you mean `add_one`?"), "{words}");
    assert!(words.contains("--> cards/clerk.md:2:18"), "{words}");

    fs::write(&card, CARD).unwrap();
    assert_eq!(check(&folder), "");

    fs::write(folder.join("cards/tools.rs"), TOOLS.replace("pub fn add_one", "pub fn add_two")).unwrap();
    let words = check(&folder);
    assert!(words.contains("`tools.rs` has no `add_one`; there are: add_two"), "{words}");
}

#[test]
fn c2_what_rustc_finds_in_a_file_of_a_card_is_shown_there() {
    let folder = package("rustc_in_a_card", "(card = \"cards/clerk.md\");");
    let tools = folder.join("cards/tools.rs");
    fs::write(&tools, TOOLS.replace("x + 1", "x +")).unwrap();
    let words = check(&folder);
    assert!(words.contains("error: expected expression, found `}`\n"), "{words}");
    assert!(words.contains("cards/tools.rs:5:1\n"), "{words}");

    let adders = "macro_rules! adders { ($($name:ident: $step:literal),*) => { $(
        #[doc = \"Adds.\"] #[onionskin::tool] pub fn $name(x: i64) -> i64 { x + $step }
    )* } }\n\nadders!(add_two: 2, add_ten: 10);\n";
    fs::write(&tools, adders).unwrap();
    let words = check(&folder);
    assert!(words.contains("error[E0425]: cannot find type `add_one` in module `tools_rs`"), "{words}");
    assert!(words.contains("src/main.rs:1:26\n"), "{words}");
    assert!(words.contains("similarly named struct `add_ten` defined here"), "{words}");
}

/// A lock file in which the server `time` has this tool.
fn lock_file(tool: &str) -> String {
    let tools = format!("{{\n        \"{tool}\": {{\n          \"inputSchema\": {{}}\n        }}\n      }}");
    format!(
        "{{\n  \"servers\": {{\n    \"time\": {{\n      \"tools\": {tools}\n    }}\n  }},\n  \"version\": 1\n}}\n"
    )
}

#[test]
fn a3_a_changed_lock_file_is_compiled_again() {
    let agent =
        " { Clock { instruction: \"Tell the time.\", servers: [time], tools: { time: [get_time] } } }";
    let folder = package("rebuild_locked", agent);
    let file = folder.join("onionskin-mcp.lock.json");
    fs::write(&file, lock_file("get_time")).unwrap();
    assert_eq!(check(&folder), "");

    fs::write(&file, lock_file("get_tiem")).unwrap();
    let words = check(&folder);
    assert!(words.contains("`get_time` is not a tool of the server `time`"), "{words}");
    assert!(words.contains("did you mean `get_tiem`?"), "{words}");

    fs::write(&file, lock_file("get_time")).unwrap();
    assert_eq!(check(&folder), "");

    fs::remove_file(&file).unwrap();
    assert_eq!(check(&folder), "");
}

#[test]
fn c4_a_changed_file_of_a_workflow_is_compiled_again_and_an_old_one_is_a_warning() {
    let folder = package(
        "rebuild_workflow",
        "(card = \"cards/clerk.md\");\n\nonionskin::workflow!(\"workflows/Desk\");",
    );
    let desk = folder.join("workflows/Desk");
    fs::create_dir_all(desk.join("tools")).unwrap();
    let write = |file: &str, text: &str| fs::write(desk.join(file), text).unwrap();
    write("orchestrator.json", r#"{ "start_agent": "Writer" }"#);
    write("agents.json", r#"{ "Writer": { "instruction": "Write." } }"#);
    write("tools.json", r#"{ "agent_tools": { "Writer": [{ "path": "tools.add.add_one" }] } }"#);
    write("tools/add.rs", TOOLS);
    assert_eq!(check(&folder), "");

    write("tools/add.rs", &TOOLS.replace("pub fn add_one", "pub fn add_two"));
    let words = check(&folder);
    assert!(words.contains("`tools/add.rs` has no `add_one`; there are: add_two"), "{words}");
    assert!(words.contains("--> workflows/Desk/tools.json:1:41"), "{words}");
    write("tools/add.rs", TOOLS);
    assert_eq!(check(&folder), "");

    write("agents.json", r#"{ "Writr": { "instruction": "Write." } }"#);
    let words = check(&folder);
    assert!(words.contains("unknown agent `Writer`; did you mean `Writr`?"), "{words}");
    write("agents.json", r#"{ "Writer": { "instruction": "Write." } }"#);
    assert_eq!(check(&folder), "");

    fs::remove_file(desk.join("tools.json")).unwrap();
    write("tools.yaml", "agent_tools: {}\n");
    let words = said(&folder);
    let old = "workflows/Desk/tools.yaml:1:1: YAML is the old form of this file: `onionskin migrate` writes `tools.json`";
    assert!(words.starts_with("warning: ") && words.contains(old), "{words}");
    assert!(words.contains("onionskin::workflow!(\"workflows/Desk\");"), "{words}");
    assert_eq!(words.matches("warning: use of deprecated").count(), 1, "{words}");
}
