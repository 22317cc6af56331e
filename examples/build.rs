//! Writes a module for each chapter of the book that `SUMMARY.md` names. `lib.rs` includes them for doc tests, so the Rust of each
//! chapter is compiled and run.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    // A build script runs in the folder of its package.
    let summary = "../docs/book/src/SUMMARY.md";
    println!("cargo::rerun-if-changed={summary}");
    let mut modules = String::new();
    for rest in fs::read_to_string(summary)?.split("](").skip(1) {
        let (chapter, _) = rest.split_once(')').ok_or("a link in SUMMARY.md does not end")?;
        let name = chapter.trim_end_matches(".md").replace(['/', '-'], "_");
        // On one line: a doc test is then named after the line of the chapter.
        write!(
            modules,
            "#[doc = include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../docs/book/src/{chapter}\"))] mod {name} {{}} "
        )?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("book.rs"), modules)?;
    Ok(())
}
