//! What does not compile, and what the compiler says about it: programs `<folder>/<subject>.rs`, and beside each its words,
//! `<subject>.stderr`. A program has the cases of one subject. `//~` says what is wrong with the lines below it, and is one error: what an
//! earlier phase of rustc finds hides what a later one would, so cases of both need two programs.
//!
//! An error that the macros write alone needs no rustc: its case is on a page of `macros/tests/errors`, and `macros/src/golden`
//! compares it. Here one test has all of them as modules of a few programs, for which rustc shows the same.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "../../../runtime/cards/tests/pages/mod.rs"]
mod pages;
mod words;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use onionskin_ui_tests::Package;
use trybuild::TestCases;

/// The folder of the cases.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fail")
}

/// The folder of the package that trybuild writes for the cases. The paths of cards in them begin here.
fn package() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"))
}

/// The folder of the pages of the macros' own errors.
fn errors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../macros/tests/errors")
}

/// Compares the cases of a folder with what rustc says about them.
fn words_of(folder: &str) {
    TestCases::new().compile_fail(format!("tests/fail/{folder}/*.rs"));
}

/// Takes the cards of the cases of a folder into the package, from the folder of `ui-tests`.
fn copy(path: &Path) {
    let to = package().join(path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap());
    if path.is_dir() {
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(path).unwrap() {
            copy(&entry.unwrap().path());
        }
    } else {
        fs::copy(path, to).unwrap();
    }
}

#[test]
fn a2_agent() {
    words_of("agent");
}

#[test]
fn a8_answer() {
    words_of("answer");
}

#[test]
fn c2_card() {
    copy(&root().join("card"));
    words_of("card");
}

#[test]
fn a9_run_hook() {
    words_of("run_hook");
}

#[test]
fn a9_turn_hook() {
    words_of("turn_hook");
}

#[test]
fn a10_message_hook() {
    words_of("message_hook");
}

#[test]
fn a2_guardrail() {
    words_of("guardrail");
}

/// Programs that are half typed in an editor: rustc reports what is missing, and our macros report nothing.
#[test]
fn a2_half_typed() {
    words_of("half_typed");
}

#[test]
fn a2_hook() {
    words_of("hook");
}

#[test]
fn o1_program() {
    words_of("program");
}

#[test]
fn c3_loader() {
    words_of("loader");
}

#[test]
fn a2_strict() {
    words_of("strict");
}

#[test]
fn a2_tool() {
    words_of("tool");
}

#[test]
fn c4_workflow() {
    copy(&root().join("workflow"));
    words_of("workflow");
}

#[test]
fn a2_toolbox() {
    words_of("toolbox");
}

/// The programs deny the warnings, because trybuild compares errors.
#[test]
fn a2_items_that_nothing_uses() {
    words_of("unused");
}

#[test]
fn a2_visit_secrets() {
    words_of("visit");
}

#[test]
fn every_folder_has_its_test() {
    for entry in fs::read_dir(root()).unwrap().map(Result::unwrap) {
        let test = format!("words_of(\"{}\")", entry.file_name().display());
        assert!(
            entry.path().is_file() || include_str!("main.rs").contains(&test),
            "{}",
            entry.path().display()
        );
    }
}

/// `macros/src/golden` shows these errors without rustc. Rustc shows the same, and no other.
#[test]
fn a2_the_macros_own_errors_are_shown_so_by_rustc() {
    let pages = pages::pages(&errors());
    // A package has one lock file.
    let (locked, others): (Vec<_>, Vec<_>) =
        pages.into_iter().partition(|page| page.parent().unwrap().ends_with("lock"));
    shown_by_rustc(&others);
    for page in locked {
        shown_by_rustc(&[page]);
    }
}

/// Compares the cases of pages with what rustc says. A page is a program, and each case a module of it.
fn shown_by_rustc(pages: &[PathBuf]) {
    let package = Package::new(env!("CARGO_TARGET_TMPDIR"), "errors").unwrap();
    for page in pages {
        let name = name_of(page);
        let mut program = String::from("fn main() {}\n");
        for (at, case) in pages::read(&fs::read_to_string(page).unwrap()).1.into_iter().enumerate() {
            for (file, text) in &case.files {
                let is_program = *file == case.name;
                let folder = if is_program {
                    PathBuf::from(format!("src/{name}"))
                } else {
                    PathBuf::from(case.name.trim_end_matches(".rs"))
                };
                package.write(&folder.join(file).display().to_string(), text).unwrap();
            }
            writeln!(program, "#[path = \"../{name}/{}\"]\nmod case_{at};", case.name).unwrap();
        }
        package.write(&format!("src/bin/{name}.rs"), &program).unwrap();
    }
    let said = package.check().unwrap();
    for page in pages {
        let name = name_of(page);
        pages::hold(page, |case| {
            let file = format!("src/bin/../{name}/{}", case.name);
            let of_case = said.iter().filter(|said| said.program == name && said.files.contains(&file));
            Ok(of_case.map(|said| said.text.replace(&file, &case.name)).collect::<Vec<_>>().join("\n\n"))
        });
    }
}

/// The name of the program of a page: `tool_options`.
fn name_of(page: &Path) -> String {
    page.strip_prefix(errors()).unwrap().with_extension("").display().to_string().replace(['/', '\\'], "_")
}
