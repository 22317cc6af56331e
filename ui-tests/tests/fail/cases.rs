//! Folders of cases. A case is a program `<case>.rs` and, beside it, all that is said about it: `<case>.stderr`.
//!
//! `ONIONSKIN_CASE=tool/unknown` takes the cases whose paths hold the text. `ONIONSKIN_BLESS=1` writes the `.stderr` files,
//! which are then read as the person reads them who made the mistake.
//!
//! `ui-tests` has this file too, for cases whose words are rustc's.

use std::fs;
use std::path::Path;

/// The programs of a folder, by their paths from `root`.
pub(crate) fn programs(root: &Path, folder: &str) -> Vec<String> {
    let part = std::env::var("ONIONSKIN_CASE").unwrap_or_default();
    let mut programs = files(root, folder, "rs");
    programs.retain(|program| program.contains(&part));
    programs
}

fn files(root: &Path, folder: &str, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| Path::new(name).extension().is_some_and(|of| of == extension));
    let mut files: Vec<_> = names.map(|name| format!("{folder}/{name}")).collect();
    files.sort();
    files
}

/// Compares all cases of a folder with the result of `shown`: the errors, or the reason why the case proves nothing.
pub(crate) fn hold(
    root: &Path,
    folder: &str,
    at_least: usize,
    shown: impl Fn(&str) -> Result<String, String>,
) {
    let all = std::env::var_os("ONIONSKIN_CASE").is_none();
    let programs = programs(root, folder);
    assert!(!all || programs.len() >= at_least, "{} cases, where there were {at_least}", programs.len());
    let mut failures = Vec::new();
    for program in &programs {
        let golden = root.join(program).with_extension("stderr");
        let found = shown(program);
        if let (Ok(found), Some(_)) = (&found, std::env::var_os("ONIONSKIN_BLESS")) {
            fs::write(&golden, found).unwrap();
        }
        if let Err(failure) = compare(found, fs::read_to_string(golden).ok().as_deref()) {
            failures.push(format!("{program}: {failure}"));
        }
    }
    for text in files(root, folder, "stderr") {
        if !root.join(&text).with_extension("rs").exists() {
            failures.push(format!("{text}: it belongs to no case"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases differ; ONIONSKIN_BLESS=1 writes them anew\n\n{}",
        failures.len(),
        programs.len(),
        failures.join("\n\n")
    );
}

/// Compares the errors of a program with its golden text.
pub(crate) fn compare(found: Result<String, String>, golden: Option<&str>) -> Result<(), String> {
    let found = found?;
    match golden {
        Some(wanted) if wanted == found => Ok(()),
        Some(wanted) => Err(format!("wanted:\n{wanted}\nfound:\n{found}")),
        None => Err(format!("it has no .stderr file; found:\n{found}")),
    }
}
