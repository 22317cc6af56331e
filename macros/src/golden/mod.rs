//! The errors that our macros write, as rustc shows them, without rustc.
//!
//! The cases are on the pages of `tests/errors`: programs and their errors, which `pages` reads and compares. `cargo test -p onionskin-macros
//! golden` expands the programs in this process. The cards of a case are in a folder with the name of its program.
//!
//! What rustc says itself is not seen here. A case whose words are in part rustc's belongs into `ui-tests/tests`.
//! `ui-tests` also compares the cases of these pages with rustc (see there): no error is missing here that rustc adds.

mod invocations;
mod render;
mod source;

use std::fs;
use std::path::PathBuf;

use crate::package::with_folder;
use crate::pages::{Case, compare, hold, pages};

/// Expands all invocations of our macros in a program.
pub(crate) fn expand_all(program: proc_macro2::TokenStream) {
    invocations::expand(program);
}

/// The errors of our macros in a program, as rustc shows them.
fn shown(program: &str, path: &str) -> Result<String, String> {
    let tokens =
        source::tokens(program).map_err(|error| format!("rustc cannot read this program: {error}"))?;
    let expanded = invocations::expand(tokens);
    let shown = render::render(program, path, &expanded.errors);
    proc_macro2::extra::invalidate_current_thread_spans();
    if expanded.invocations == 0 {
        return Err("the program invokes no macro of ours".to_owned());
    }
    if expanded.errors.is_empty() {
        return Err("our macros find no error in the program: does it belong into `ui-tests`?".to_owned());
    }
    shown.map_err(|message| format!("this error is at no token of the program: {message}"))
}

/// The errors of our macros in the program of a case, in a package of its own with the other files.
fn shown_case(case: &Case) -> Result<String, String> {
    let package = tempfile::tempdir().unwrap();
    for (name, text) in case.files.iter().filter(|(name, _)| **name != case.name) {
        let file = package.path().join(case.name.trim_end_matches(".rs")).join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    with_folder(package.path(), || shown(&case.files[&case.name], &case.name))
}

/// The folder of the pages.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// Compares the cases of a page, or of all pages of a folder.
fn holds(name: &str, at_least: usize) {
    let path = root().join(name);
    let pages = if path.is_dir() { pages(&path) } else { vec![path.with_extension("md")] };
    let cases: usize = pages.iter().map(|page| hold(page, shown_case)).sum();
    assert!(cases >= at_least, "{cases} cases, where there were {at_least}");
}

#[test]
fn a2_errors_of_agent() {
    holds("agent", 148);
}

#[test]
#[cfg(feature = "cards")]
fn c2_errors_of_card() {
    holds("card", 61);
}

#[test]
#[cfg(feature = "cards")]
fn a3_errors_of_lock_files() {
    holds("lock", 12);
}

#[test]
fn a2_errors_of_guardrail() {
    holds("guardrail", 18);
}

#[test]
fn a2_errors_of_hook() {
    holds("hook", 48);
}

#[test]
fn a9_errors_of_run_hook() {
    holds("run_hook", 18);
}

#[test]
fn a9_errors_of_turn_hook() {
    holds("turn_hook", 17);
}

#[test]
fn a10_errors_of_message_hook() {
    holds("message_hook", 28);
}

#[test]
fn o1_errors_of_main() {
    holds("program", 22);
}

#[test]
fn a2_errors_of_strict() {
    holds("strict", 18);
}

#[test]
fn a2_errors_of_tool() {
    holds("tool", 174);
}

#[test]
fn a2_errors_of_toolbox() {
    holds("toolbox", 22);
}

#[test]
fn a2_errors_of_visit_secrets() {
    holds("visit", 5);
}

#[test]
fn every_page_has_its_test() {
    for entry in fs::read_dir(root()).unwrap() {
        let page = entry.unwrap().path();
        let test = format!("holds(\"{}\", ", page.file_stem().unwrap().display());
        assert!(include_str!("mod.rs").contains(&test), "{}", page.display());
    }
}

const TWICE: &str =
    "use onionskin::tool as made;\n\n#[made(name = \"a b\", nmae = 3)]\nfn add(x: u8) -> u8 { x }\n";

#[test]
fn a_case_holds_only_with_its_own_text() {
    let new = format!("## twice.rs\n\n~~~rust\n{TWICE}~~~\n");
    let (page, differ) = compare(&new, shown_case);
    assert_eq!(differ.len(), 1, "a case without a message differs");
    assert_eq!(page.matches("error: ").count(), 2, "{page}");
    assert!(page.starts_with(&new) && page.contains(" --> twice.rs:3:22\n"), "{page}");
    assert_eq!(compare(&page, shown_case), (page.clone(), Vec::new()));
    for wrong in
        [page.replace("3:22", "3:21"), page.replace('^', "-"), page.replace("\n~~~text\n", "\n~~~text\n\n")]
    {
        let (written, differ) = compare(&wrong, shown_case);
        assert_eq!((written, differ.len()), (page.clone(), 1));
    }
}

#[test]
fn a_case_without_an_error_of_ours_fails() {
    let failure = |program: &str| shown(program, "case.rs").unwrap_err();
    assert!(failure("fn main() { let x: u8 = \"\"; }").contains("invokes no macro"));
    let good = "/// Adds.\n#[onionskin::tool]\nfn add(x: u8) -> u8 { x }\n";
    assert!(failure(good).contains("find no error"));
    let defined = "macro_rules! made { ($name:ident) => { #[tool(nmae = 3)] fn $name() {} } }";
    assert!(failure(defined).contains("invokes no macro"));
    let (page, differ) = compare(&format!("## good.rs\n\n~~~rust\n{good}~~~\n"), shown_case);
    assert!(!page.contains("text") && differ[0].contains("find no error"), "{differ:?}");
}

/// In modules, in functions, in `impl` blocks, under other attributes, and what an outer macro gives to an inner one.
#[test]
fn invocations_are_found_where_programs_have_them() {
    let wrong = "#[onionskin::tool(nmae = 3)] fn add(x: u8) -> u8 { x }";
    for program in [
        format!("mod a {{ pub mod b {{ {wrong} }} }}"),
        format!("fn main() {{ const A: [u8; 1] = {{ [1] }}; {wrong} }}"),
        format!("#[cfg(test)] #[allow(unused)] {wrong}"),
        format!("use a::{{b, c}}; static B: u8 = {{ 1 }}; {wrong}"),
        "#[toolbox] impl Desk { #[tool(nmae = 3)] fn add(&self, x: u8) -> u8 { x } }".to_owned(),
        "#[tool] fn outer(x: u8) -> u8 { #[tool(nmae = 3)] fn inner(x: u8) -> u8 { x } x }".to_owned(),
        "agent! { Helper { instructoin: \"Help.\" } }".to_owned(),
        "#[derive(Clone, onionskin::Strict)] union Both { a: u8 }".to_owned(),
    ] {
        let shown = shown(&program, "case.rs");
        assert!(shown.as_ref().is_ok_and(|shown| shown.starts_with("error: ")), "{program}: {shown:?}");
    }
}

/// As on stable rustc: see `source::tokens`.
#[test]
fn spans_are_not_joined() {
    let tokens: Vec<_> =
        source::tokens("/// a\nfn f<'a>(x: &'a u8,\n y: u8) {}").unwrap().into_iter().collect();
    for pair in tokens.windows(2) {
        let [first, second] = [pair[0].span(), pair[1].span()];
        // A documentation comment is several tokens in one place.
        assert!(first.start() == second.start() || first.join(second).is_none(), "{pair:?}");
    }
    let function = tokens.iter().position(|token| token.to_string() == "fn").unwrap();
    assert_eq!(tokens[function].span().start(), proc_macro2::LineColumn { line: 2, column: 0 });
    assert_eq!(tokens.last().unwrap().span().end(), proc_macro2::LineColumn { line: 3, column: 10 });
}
