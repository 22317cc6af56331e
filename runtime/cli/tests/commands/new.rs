//! `new`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clean_cargo::clean_cargo;
use crate::folder::{Folder, Ran};

/// The profile of the workspace, so that crates are built once for both.
const PROFILE: [&str; 4] = [
    "profile.dev.debug='line-tables-only'",
    "profile.dev.package.'*'.debug=false",
    "profile.dev.package.serde_json.opt-level=1",
    "profile.dev.package.rhai.opt-level=1",
];

/// The crate `onionskin` of the workspace.
fn facade() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

#[test]
fn o1_a_new_project_compiles() {
    let folder = Folder::new(&[]);
    let path = facade();
    let made = folder.run(&["new", "help-desk", "--path", path.to_str().unwrap()]);
    assert_eq!((made.code, &*made.out), (0, ""), "{made:?}");
    assert!(
        made.words.contains("cd help-desk\n  cargo run -- run --model script:script.yaml"),
        "{}",
        made.words
    );
    fs::copy(path.parent().unwrap().join("Cargo.lock"), folder.path("help-desk/Cargo.lock")).unwrap();

    // The project uses the crates of the workspace. Its program is run by a test of the examples, which have it built: a build of its own, with
    // its features, takes minutes.
    let target = Path::new(env!("CARGO_BIN_EXE_onionskin")).parent().unwrap().parent().unwrap();
    let built = clean_cargo()
        .args(["check", "--offline", "--quiet", "--color=never"])
        .args(PROFILE.iter().flat_map(|setting| ["--config", setting]))
        .current_dir(folder.path("help-desk"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    assert_eq!(
        (built.status.success(), &*String::from_utf8_lossy(&built.stderr)),
        (true, ""),
        "without a warning"
    );
    let run = |arguments: &[&str]| {
        let mut ready = Command::new(env!("CARGO_BIN_EXE_onionskin"));
        Ran::new(ready.args(arguments).current_dir(folder.path("help-desk")).output().unwrap())
    };
    let asked =
        run(&["run", "--card", "cards/helper.md", "--model", "script:script.yaml", "What is 41 + 1?"]);
    assert_eq!((asked.code, &*asked.out), (0, "It is 42.\n"), "{asked:?}");
    let checked = run(&["check"]);
    assert_eq!((checked.code, &*checked.out), (0, ""), "{checked:?}");

    // A card that names the tool in Rust needs the program.
    folder
        .write("help-desk/cards/words.md", "---\nfunction_tools: [\"crate::count_letters\"]\n---\nCount.\n");
    let refused = run(&["check"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("`crate::count_letters` is Rust"), "{}", refused.out);
}

#[test]
fn o1_new_refuses_what_it_cannot_make() {
    let folder = Folder::new(&[("there/x", "kept"), ("other/Cargo.toml", "[package]\nname = \"other\"\n")]);
    let fails =
        |arguments: &[&str], parts: &[&str]| folder.run(&[&["new"], arguments].concat()).failed(parts);
    fails(&["there"], &["there is a `there` already: choose another name"]);
    fails(&["a/b"], &["`a/b` cannot be the name of a project: it has `/`"]);
    fails(&["fn"], &["it is a keyword of Rust"]);
    fails(&["demo", "--path", "no"], &["`--path`: cannot read `no/Cargo.toml`"]);
    fails(&["demo", "--path", "other"], &["`other` is not the folder of the crate `onionskin`"]);
    fails(&[], &["NAME"]);
    assert_eq!(folder.read("there/x"), "kept");
    assert!(!folder.path("demo").exists());
}

#[test]
fn o1_a_new_project_of_cards_runs_without_rust() {
    let folder = Folder::new(&[]);
    let made = folder.run(&["new", "desk", "--cards"]);
    assert_eq!((made.code, &*made.out), (0, ""), "{made:?}");
    let command = "`desk` is ready. Try:\n  cd desk\n  onionskin run \"What is 41 + 1?\"\n";
    assert_eq!(made.words, command);
    assert!(
        !folder.path("desk/Cargo.toml").exists() && folder.read("desk/README.md").starts_with("# desk\n")
    );
    let run = |arguments: &[&str]| {
        Ran::new(folder.command(arguments).current_dir(folder.path("desk")).output().unwrap())
    };
    assert_eq!(run(&["run", "What is 41 + 1?"]).out, "It is 42.\n");
    assert_eq!(run(&["check"]).code, 0);
    // Its script has the agents that the project has.
    assert!(!folder.read("desk/script.yaml").contains("Counter:"));
    // A project without Rust can have the names of its crates and keywords.
    assert_eq!(folder.run(&["new", "test", "--cards"]).code, 0);
    folder.run(&["new", "a b", "--cards"]).failed(&["`a b` cannot be the name of a project: it has ` `"]);
    folder.run(&["new", "x", "--cards", "--path", "y"]).failed(&["cannot be used with"]);
}

#[test]
fn o1_a_new_project_depends_on_the_published_crate() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run(&["new", "demo"]).code, 0);
    let manifest = folder.read("demo/Cargo.toml");
    assert!(
        manifest.contains(concat!("onionskin = { version = \"", env!("CARGO_PKG_VERSION"), "\"")),
        "{manifest}"
    );
    assert!(folder.read("demo/README.md").starts_with("# demo\n"));
}
