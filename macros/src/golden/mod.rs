//! The errors that our macros write, as rustc shows them, without rustc.
//!
//! A case is a program `tests/errors/<macro>/<case>.rs` and, beside it, all that rustc says about it: `<case>.stderr`.
//! `cargo test -p onionskin-macros golden` expands the programs in this process and compares; `ONIONSKIN_BLESS=1` writes
//! the `.stderr` files, which are then read as the person reads them who made the mistake.
//!
//! What rustc says itself is not seen here. A case whose words are in part rustc's belongs into `ui-tests/tests`.
//! `ui-tests` also compares the cases of this folder with rustc (see there): no error is missing here that rustc adds.

mod invocations;
mod render;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of cases, and how many cases each has at least.
const FOLDERS: [(&str, usize); 6] =
    [("agent", 110), ("guardrail", 18), ("hook", 46), ("strict", 18), ("tool", 140), ("toolbox", 18)];

fn errors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// The names of what a folder holds.
fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
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

/// Compares what a program shows with its golden text.
fn compare(program: &str, path: &str, golden: Option<&str>) -> Result<(), String> {
    let found = shown(program, path)?;
    match golden {
        Some(wanted) if wanted == found => Ok(()),
        Some(wanted) => Err(format!("wanted:\n{wanted}\nfound:\n{found}")),
        None => Err(format!("it has no .stderr file; found:\n{found}")),
    }
}

/// Compares all cases of a folder.
fn holds(name: &str) {
    let folder = errors().join(name);
    let bless = std::env::var_os("ONIONSKIN_BLESS").is_some();
    let files = entries(&folder);
    let cases: BTreeSet<_> = files.iter().filter_map(|file| file.strip_suffix(".rs")).collect();
    let mut failures = Vec::new();
    for case in &cases {
        let path = format!("tests/errors/{name}/{case}.rs");
        let (program, golden) =
            (folder.join(case).with_extension("rs"), folder.join(case).with_extension("stderr"));
        let program = fs::read_to_string(program).unwrap();
        if bless && let Ok(found) = shown(&program, &path) {
            fs::write(&golden, found).unwrap();
        }
        let golden = fs::read_to_string(golden).ok();
        if let Err(failure) = compare(&program, &path, golden.as_deref()) {
            failures.push(format!("{path}: {failure}"));
        }
    }
    for file in &files {
        let case = file.strip_suffix(".stderr").or_else(|| file.strip_suffix(".rs"));
        if !case.is_some_and(|case| cases.contains(case)) {
            failures.push(format!("tests/errors/{name}/{file}: it belongs to no case"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases differ; ONIONSKIN_BLESS=1 writes them anew\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
    let (_, at_least) = FOLDERS.into_iter().find(|(folder, _)| *folder == name).unwrap();
    assert!(cases.len() >= at_least, "{} cases, where there were {at_least}", cases.len());
}

#[test]
fn a2_errors_of_agent() {
    holds("agent");
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
fn every_folder_of_cases_has_its_test() {
    let folders = FOLDERS.map(|(folder, _)| folder.to_owned());
    assert_eq!(entries(&errors()), BTreeSet::from(folders));
}

const TWICE: &str =
    "use onionskin::tool as made;\n\n#[made(name = \"a b\", nmae = 3)]\nfn add(x: u8) -> u8 { x }\n";

#[test]
fn a_case_holds_only_with_its_own_text() {
    let golden = shown(TWICE, "twice.rs").unwrap();
    assert_eq!(golden.matches("error: ").count(), 2, "{golden}");
    assert!(golden.contains("--> twice.rs:3:22\n"), "{golden}");
    assert_eq!(compare(TWICE, "twice.rs", Some(&golden)), Ok(()));
    for wrong in
        [golden.replace("3:22", "3:21"), golden.replace('^', "-"), golden.clone() + "\n", String::new()]
    {
        let failure = compare(TWICE, "twice.rs", Some(&wrong)).unwrap_err();
        assert!(failure.contains(&golden) && failure.contains(&wrong), "{failure}");
    }
    assert!(compare(TWICE, "twice.rs", None).unwrap_err().contains(&golden));
}

#[test]
fn a_case_without_an_error_of_ours_fails() {
    let nothing = "fn main() { let x: u8 = \"\"; }";
    assert!(compare(nothing, "case.rs", Some("")).unwrap_err().contains("invokes no macro"));
    let good = "/// Adds.\n#[onionskin::tool]\nfn add(x: u8) -> u8 { x }\n";
    let failure = compare(good, "case.rs", Some("")).unwrap_err();
    assert!(failure.contains("find no error"), "{failure}");
    let defined = "macro_rules! made { ($name:ident) => { #[tool(nmae = 3)] fn $name() {} } }";
    assert!(compare(defined, "case.rs", Some("")).unwrap_err().contains("invokes no macro"));
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
