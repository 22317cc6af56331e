//! One realistic program, and single mistakes in it: rustc shows one error for each, at the mistake.
//!
//! The pages in `mistakes` have a change of `bin/lost_parcels.rs` for each mistake, as a diff, and what rustc says then. `TRYBUILD=overwrite` writes
//! the messages anew.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "../../../runtime/cards/tests/pages/mod.rs"]
mod pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pages::{Case, hold, read};

/// The mistakes with more than one error, by the names of their programs, and why.
const FOLLOWED: &[(&str, &str)] = &[
    ("agents_expected_output_type", "the answers are text then, and the program uses one of a type"),
    ("agents_output_ref", "the answers are text then, and the program uses one of a type"),
    ("agents_state_mutex", "the tools work on another state, and the prompt has its fields"),
    ("agents_state_ref", "rustc reports the reference, and the tools work on another state"),
    ("agents_two_agents", "rustc reports the type and each implementation that is there twice"),
    (
        "agents_state_not_clone",
        "rustc reports a bound that a type of the program lacks wherever the type is used",
    ),
    (
        "run_hooks_type",
        "the type of the input can have another name, so rustc reports it, and what the body does with it",
    ),
    (
        "tool_hooks_not_imported",
        "rustc reports each attribute that it does not know, and the functions in the lists",
    ),
    ("toolboxes_forgot", "each method alone does not know that its block has no attribute"),
    ("toolboxes_on_struct", "each method alone does not know that its block has no attribute"),
    ("tools_param_no_deserialize", "the type is a parameter and the input of an agent, which are two places"),
    ("tools_param_no_schema", "the same, and the attribute of a field has no meaning then"),
    ("tools_param_no_derives", "the same, and the attribute of a field has no meaning then"),
    ("tools_self", "rustc reports `self` outside of an `impl` block"),
    ("tools_forgot_attr", "rustc reports the documentation of a parameter"),
];

/// How many mistakes there are at least.
const MISTAKES: usize = 179;

const MANIFEST: &str = r#"
[package]
name = "single"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
onionskin = { path = "ONIONSKIN", features = ["cards", "cli", "testing"] }
schemars = "1.2"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }
"#;

fn pages() -> Vec<PathBuf> {
    pages::pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/single/mistakes"))
}

/// The name of the program of a case.
fn program_name(page: &Path, case: &Case) -> String {
    format!(
        "{}_{}",
        page.file_stem().unwrap().display(),
        case.name.replace(|c: char| !c.is_alphanumeric(), "_")
    )
}

const PROGRAM: &str = include_str!("bin/lost_parcels.rs");

/// The program with the change of a case.
fn changed(case: &Case) -> String {
    let side = |mark: char| {
        let lines = case.files[&case.name].lines().filter(|line| line.starts_with([mark, ' ']));
        lines.flat_map(|line| [&line[1..], "\n"]).collect::<String>()
    };
    let (before, after) = (side('-'), side('+'));
    assert_eq!(PROGRAM.matches(&before).count(), 1, "{}: the program has this once", case.name);
    PROGRAM.replace(&before, &after)
}

/// A message without the numbers of lines of our own files, as trybuild shows it: `--> $WORKSPACE/runtime/core/src/checks.rs`.
fn without_lines(message: &str, root: &str) -> String {
    let mut is_ours = false;
    let lines = message.lines().map(|line| {
        if let Some((arrow, path)) = line.split_once(&format!("{root}/")) {
            is_ours = true;
            return format!("{arrow}$WORKSPACE/{}", path.split(':').next().unwrap_or_default());
        }
        let number = line.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        is_ours &= number > 0 || line.trim_start().starts_with(['|', '.']);
        let indent = line.len() - line.trim_start().len();
        if is_ours {
            format!("{}{}", " ".repeat(indent + number), &line[indent + number..])
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What rustc says of each program.
fn check_all() -> BTreeMap<String, Vec<String>> {
    let tmp = env!("CARGO_TARGET_TMPDIR");
    let folder = Path::new(tmp).join("single");
    let programs = folder.join("src/bin");
    let _ = fs::remove_dir_all(&programs);
    fs::create_dir_all(&programs).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let runtime = root.join("runtime").display().to_string();
    fs::write(folder.join("Cargo.toml"), MANIFEST.replace("ONIONSKIN", &runtime)).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(programs.join("right.rs"), PROGRAM).unwrap();
    for page in pages() {
        for case in read(&fs::read_to_string(&page).unwrap()).1 {
            fs::write(programs.join(program_name(&page, &case)).with_extension("rs"), changed(&case))
                .unwrap();
        }
    }
    let mut cargo = onionskin_ui_tests::cargo(tmp, "check");
    cargo.args(["--bins", "--keep-going", "--message-format=json"]).current_dir(&folder);
    let output = cargo.output().unwrap();
    let mut said = BTreeMap::<_, Vec<_>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let (message, program) = (&line["message"], line["target"]["name"].as_str());
        let text = message["rendered"].as_str().unwrap_or_default().trim_end();
        if let (Some(program), "error") = (program, message["level"].as_str().unwrap_or_default())
            && !text.starts_with("error: aborting")
        {
            let text = text.replace(&format!("src/bin/{program}.rs"), "lost_parcels.rs");
            let text = without_lines(&text, &root.display().to_string());
            let errors = said.entry(program.to_owned()).or_default();
            // Cargo shows each text once too.
            if !errors.contains(&text) {
                errors.push(text);
            }
        }
    }
    assert!(!said.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.get("right"), None, "the program has no mistake");
    said
}

#[test]
fn a2_a_single_mistake_in_a_program_is_one_error() {
    let said = check_all();
    let (mut cases, mut followed) = (0, BTreeSet::new());
    for page in pages() {
        cases += hold(&page, |case| {
            let errors = said.get(&program_name(&page, case)).map_or(&[][..], Vec::as_slice);
            Ok(errors.join("\n\n"))
        });
        followed.extend(read(&fs::read_to_string(&page).unwrap()).1.into_iter().filter_map(|case| {
            let errors = case.message.lines().filter(|line| line.starts_with("error")).count();
            (errors != 1).then(|| program_name(&page, &case))
        }));
    }
    assert!(cases >= MISTAKES, "{cases} mistakes");
    let known = FOLLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(followed, known);
}
