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

use onionskin_ui_tests::Package;
use pages::{Case, hold, read};

/// The mistakes with more than one error, by the names of their programs, and why.
const FOLLOWED: &[(&str, &str)] = &[
    ("agents_state_mutex", "the tools work on another state, and the prompt has its fields"),
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
const MISTAKES: usize = 315;

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

/// A message without the numbers of lines of our own files and of other crates, as trybuild shows it:
/// `--> $WORKSPACE/runtime/core/src/checks.rs`, `--> $CARGO/serde_core-$VERSION/src/ser/mod.rs`.
fn without_lines(message: &str, root: &str) -> String {
    let mut is_ours = false;
    // A note about the file of a long type has another number for each build, and the line below it explains the note.
    let is_of_build =
        |line: &&str| line.contains(".long-type-") || line.contains("to print the full type name");
    let lines = message.lines().filter(|line| !is_of_build(line)).map(|line| {
        if let Some((arrow, path)) = line.split_once(&format!("{root}/")) {
            is_ours = true;
            return format!("{arrow}$WORKSPACE/{}", path.split(':').next().unwrap_or_default());
        }
        if let Some((arrow, path)) = registry_place(line) {
            is_ours = true;
            return format!("{arrow}--> $CARGO/{path}");
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

/// What stands before the arrow of a place in another crate, and its path without the version.
fn registry_place(line: &str) -> Option<(&str, String)> {
    let (arrow, place) = line.split_once("--> ")?;
    let (_, path) = place.split_once("/registry/src/")?.1.split_once('/')?;
    let (package, file) = path.split_once('/')?;
    let (name, _) = package.rsplit_once('-')?;
    Some((arrow, format!("{name}-$VERSION/{}", file.split(':').next().unwrap_or_default())))
}

/// What rustc says of each program.
fn check_all() -> BTreeMap<String, Vec<String>> {
    let package = Package::new(env!("CARGO_TARGET_TMPDIR"), "single").unwrap();
    package.write("src/bin/right.rs", PROGRAM).unwrap();
    for page in pages() {
        for case in read(&fs::read_to_string(&page).unwrap()).1 {
            let program = format!("src/bin/{}.rs", program_name(&page, &case));
            package.write(&program, &changed(&case)).unwrap();
        }
    }
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for said in package.check().unwrap().into_iter().filter(|said| said.level == "error") {
        let text = said.text.replace(&format!("src/bin/{}.rs", said.program), "lost_parcels.rs");
        let text = without_lines(&text, &Package::root().display().to_string());
        let errors = all.entry(said.program).or_default();
        // Those about places of other crates can be alike.
        if !errors.contains(&text) {
            errors.push(text);
        }
    }
    assert_eq!(all.get("right"), None, "the program has no mistake");
    all
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
