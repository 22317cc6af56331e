//! Each source file belongs to a program: a file that no `mod` names is not compiled, and its tests do not run. And
//! `docs/design` names files that exist.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose files are programs by themselves.
const PROGRAMS: [&str; 4] = ["tests", "examples", "benches", "bin"];
/// Folders of programs that tests compile, and folders that hold no source.
const LEFT_OUT: [&str; 5] = ["fail", "pass", "errors", "target", ".git"];

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// All Rust files below a folder.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !LEFT_OUT.contains(&name(&path)) {
            files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Whether a file is the root of a program or of a crate.
fn is_root(file: &Path) -> bool {
    let folder = file.parent().map(name).unwrap_or_default();
    matches!(name(file), "lib.rs" | "main.rs" | "build.rs") || PROGRAMS.contains(&folder)
}

/// A file, and its lines that name another one: `mod a;` and `#[path = "a.rs"]`.
struct Names {
    file: PathBuf,
    lines: Vec<String>,
}

impl Names {
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap();
        let lines =
            text.lines().map(str::trim).filter(|line| line.contains("mod ") || line.contains("path = "));
        Self { file: file.to_owned(), lines: lines.map(str::to_owned).collect() }
    }
}

/// Whether one of the files that can declare this one does so, or another file of the project names its path.
fn is_declared(file: &Path, all: &[Names]) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap();
    // `a/mod.rs` is declared where `a.rs` would be.
    let (module, folder) = match stem {
        "mod" => (name(file.parent().unwrap()), file.parent().and_then(Path::parent).unwrap()),
        stem => (stem, file.parent().unwrap()),
    };
    let declared = format!("mod {module};");
    let may_declare = |other: &Path| other.parent() == Some(folder) || other == folder.with_extension("rs");
    let path = format!("/{}\"", name(file));
    names_in_cards(folder, name(file))
        || names_in_workflow(file)
        || all.iter().any(|other| {
            let declares = || other.lines.iter().any(|line| line.ends_with(&declared));
            let names = |line: &String| line.contains("path = ") && line.contains(&path);
            (may_declare(&other.file) && declares()) || other.lines.iter().any(names)
        })
}

/// Whether a card beside a file names an item of it: `tools.rs:add_one`.
fn names_in_cards(folder: &Path, file: &str) -> bool {
    let is_card = |path: &Path| path.extension().is_some_and(|ending| ending == "md" || ending == "yaml");
    let item = format!("{file}:");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| is_card(path)).any(
        |card| {
            let text = fs::read_to_string(card).unwrap();
            text.contains(&item)
        },
    )
}

/// Whether a workflow folder above a file names an item of it, `tools.echo_all.echo`, or a hook in it: `"file": "state.rs"`.
fn names_in_workflow(file: &Path) -> bool {
    let Some((folder, workflow)) = file.parent().and_then(|folder| Some((folder, folder.parent()?))) else {
        return false;
    };
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap();
    let (item, hook) = (format!("{}.{stem}.", name(folder)), format!("\"file\": \"{}\"", name(file)));
    let files =
        ["workflow.json", "tools.json", "hooks.json"].map(|file| fs::read_to_string(workflow.join(file)));
    files.into_iter().flatten().any(|text| text.contains(&item) || text.contains(&hook))
}

#[test]
fn every_source_file_belongs_to_a_program() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut all);
    let names: Vec<_> = all.iter().map(|file| Names::read(file)).collect();
    let unused: Vec<_> = all.iter().filter(|file| !is_root(file) && !is_declared(file, &names)).collect();
    assert!(all.len() > 500, "{}", all.len());
    assert!(unused.is_empty(), "no `mod` names these files: {unused:#?}");
}

/// The paths of source files in a text: `agent/running/turns.rs` in backticks.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('`').skip(1).step_by(2);
    words.filter(|word| {
        Path::new(word).extension().is_some_and(|extension| extension == "rs") && !word.contains([' ', '*'])
    })
}

#[test]
fn the_design_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = root.join("docs/design");
    let pages = fs::read_dir(pages).unwrap().map(|page| fs::read_to_string(page.unwrap().path()).unwrap());
    let design: String = pages.collect();
    let mut all = Vec::new();
    files(&root, &mut all);
    // `macros/keys.rs` is short for `macros/src/keys.rs`, and `mcp/server.rs` for `runtime/mcp/src/server.rs`.
    let long = |path: &str| match path.split_once('/') {
        Some(("macros", file)) if !file.starts_with("src/") => format!("macros/src/{file}"),
        Some(("mcp", file)) => format!("runtime/mcp/src/{file}"),
        _ => path.to_owned(),
    };
    let exists = |path: &str| {
        let path = long(path);
        all.iter().any(|file| file.ends_with(&path))
    };
    let named: Vec<_> = paths(&design).collect();
    let unknown: Vec<_> = named.iter().filter(|path| !exists(path)).collect();
    assert!(named.len() > 100, "{}", named.len());
    assert!(unknown.is_empty(), "no such files: {unknown:?}");

    // The walk of a call names each file by its whole path below the crate, and in each row functions of that file.
    let walk = fs::read_to_string(root.join("docs/design/call.md")).unwrap();
    let sources = |path: &str| {
        let path = long(path);
        let below_crate = Path::new("src").join(&path);
        let is_source =
            |file: &PathBuf| file.ends_with(&below_crate) || (path.contains("src/") && file.ends_with(&path));
        let sources = all.iter().filter(|file| is_source(file));
        sources.map(|source| fs::read_to_string(source).unwrap()).collect::<String>()
    };
    let unknown: Vec<_> = paths(&walk).filter(|path| sources(path).is_empty()).collect();
    assert!(paths(&walk).count() > 20);
    assert!(unknown.is_empty(), "no such files on the way of a call: {unknown:?}");
    let rows = walk.lines().filter_map(|line| {
        let cells: Vec<_> = line.split(" | ").collect();
        let [_, file, functions, _] = cells[..] else { return None };
        Some((paths(file).next()?, functions))
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 20, "{rows:?}");
    for (file, functions) in rows {
        let text = sources(file);
        for function in functions.split('`').skip(1).step_by(2) {
            let name = function.rsplit("::").next().unwrap();
            let heads = [format!("fn {name}("), format!("fn {name}<"), format!("impl {function} for ")];
            assert!(heads.iter().any(|head| text.contains(head)), "`{function}` is not in {file}");
        }
    }
}
