//! The errors that our macros write, as rustc shows them, without rustc.
//!
//! The cases are in `tests/errors/<macro>`; `cases` says what a case is. `cargo test -p onionskin-macros golden` expands the
//! programs in this process and compares.
//!
//! What rustc says itself is not seen here. A case whose words are in part rustc's belongs into `ui-tests/tests`.
//! `ui-tests` also compares the cases of this folder with rustc (see there): no error is missing here that rustc adds.

mod cases;
mod invocations;
mod render;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cases::{compare, hold};

use crate::lock_file::with_folder;

/// The folders of cases, and how many cases each has at least.
const FOLDERS: [(&str, usize); 15] = [
    ("agent", 130),
    ("card", 20),
    ("guardrail", 18),
    ("hook", 46),
    ("lock", 9),
    ("lock_broken", 2),
    ("lock_too_new", 1),
    ("message_hook", 28),
    ("program", 14),
    ("run_hook", 17),
    ("strict", 18),
    ("tool", 140),
    ("toolbox", 18),
    ("turn_hook", 16),
    ("visit", 4),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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

/// Compares all cases of a folder. A lock file in the folder is the one of the programs' package.
fn holds(name: &str) {
    let (_, at_least) = FOLDERS.into_iter().find(|(folder, _)| *folder == name).unwrap();
    let folder = format!("tests/errors/{name}");
    with_folder(&root().join(&folder), || {
        hold(root(), &folder, at_least, |path| shown(&fs::read_to_string(root().join(path)).unwrap(), path));
    });
}

#[test]
fn a2_errors_of_agent() {
    holds("agent");
}

#[test]
#[cfg(feature = "cards")]
fn c2_errors_of_card() {
    holds("card");
}

#[test]
#[cfg(feature = "cards")]
fn a3_errors_of_lock_files() {
    for folder in ["lock", "lock_broken", "lock_too_new"] {
        holds(folder);
    }
}

#[test]
fn a2_errors_of_guardrail() {
    holds("guardrail");
}

#[test]
fn a2_errors_of_hook() {
    holds("hook");
}

#[test]
fn a9_errors_of_run_hook() {
    holds("run_hook");
}

#[test]
fn a9_errors_of_turn_hook() {
    holds("turn_hook");
}

#[test]
fn a10_errors_of_message_hook() {
    holds("message_hook");
}

#[test]
fn o1_errors_of_main() {
    holds("program");
}

#[test]
fn a2_errors_of_strict() {
    holds("strict");
}

#[test]
fn a2_errors_of_tool() {
    holds("tool");
}

#[test]
fn a2_errors_of_toolbox() {
    holds("toolbox");
}

#[test]
fn a2_errors_of_visit_secrets() {
    holds("visit");
}

#[test]
fn every_folder_of_cases_has_its_test() {
    let folders = FOLDERS.map(|(folder, _)| folder.to_owned());
    let found = fs::read_dir(root().join("tests/errors")).unwrap();
    let found = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(found.collect::<BTreeSet<_>>(), BTreeSet::from(folders));
}

const TWICE: &str =
    "use onionskin::tool as made;\n\n#[made(name = \"a b\", nmae = 3)]\nfn add(x: u8) -> u8 { x }\n";

#[test]
fn a_case_holds_only_with_its_own_text() {
    let golden = shown(TWICE, "twice.rs").unwrap();
    assert_eq!(golden.matches("error: ").count(), 2, "{golden}");
    assert!(golden.contains("--> twice.rs:3:22\n"), "{golden}");
    assert_eq!(compare(shown(TWICE, "twice.rs"), Some(&golden)), Ok(()));
    for wrong in
        [golden.replace("3:22", "3:21"), golden.replace('^', "-"), golden.clone() + "\n", String::new()]
    {
        let failure = compare(shown(TWICE, "twice.rs"), Some(&wrong)).unwrap_err();
        assert!(failure.contains(&golden) && failure.contains(&wrong), "{failure}");
    }
    assert!(compare(shown(TWICE, "twice.rs"), None).unwrap_err().contains(&golden));
}

#[test]
fn a_case_without_an_error_of_ours_fails() {
    let nothing = "fn main() { let x: u8 = \"\"; }";
    assert!(compare(shown(nothing, "case.rs"), Some("")).unwrap_err().contains("invokes no macro"));
    let good = "/// Adds.\n#[onionskin::tool]\nfn add(x: u8) -> u8 { x }\n";
    let failure = compare(shown(good, "case.rs"), Some("")).unwrap_err();
    assert!(failure.contains("find no error"), "{failure}");
    let defined = "macro_rules! made { ($name:ident) => { #[tool(nmae = 3)] fn $name() {} } }";
    assert!(compare(shown(defined, "case.rs"), Some("")).unwrap_err().contains("invokes no macro"));
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
