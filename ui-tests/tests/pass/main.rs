//! What compiles, and does what it should: each module is a program with its `main`.
//!
//! `cargo test -p onionskin-ui-tests --test pass -- PART_OF_A_NAME` runs those whose names hold the text.
//!
//! The programs are one binary: as cases of trybuild they take five CPU minutes more, because it builds what they depend on twice and links
//! each of them. It has no test harness: rustc does not look for missing documentation in one, and some programs forbid that. The modules
//! are public for that reason too.
#![allow(missing_docs, unreachable_pub, unused, reason = "each program says what it denies")]
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, reason = "each program says what it denies")]

// The dependency under another name, `::peel`, as a program has it whose manifest renames it.
extern crate onionskin as peel;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub mod parts;

macro_rules! programs {
    ($($folder:ident: $($program:ident),*;)*) => {
        $(pub mod $folder {
            $(pub mod $program;)*
        })*

        const PROGRAMS: &[(&str, fn())] = &[
            $($((concat!(stringify!($folder), "/", stringify!($program)), || $folder::$program::main()),)*)*
        ];
    };
}

programs! {
    agent: by_hand, cfg, crate_path, empty, everything, locked, macro_rules, many_hooks, modules, raw_identifiers, shadowed_names, state_of_the_program, strict_lints;
    card: beside_each_other, everything, order, strict_lints;
    guardrail: forms;
    hook: cfg, crate_path, forms, imports, injected, lifetimes, macro_rules, next_across_an_await, raw_identifiers, shadowed_names, strict_lints, typed_outside_of_own;
    strict: denied_lints, generics, shadowed_names;
    tool: bind_strict_lints, computed_docs, conditions, forbidden_lints, imports, injected, inside_functions_and_macros, lifetimes, more_private_types, names_of_our_own, renamed_dependency, results, secrets, shadowed_names, state_types, typed_hook, types_called_as_ours, unusual_signatures;
    toolbox: of_the_block, shadowed_names, strict_lints;
    visit: forms, shadowed_names;
    workflow: everything;
}

fn main() {
    every_program_is_listed();
    // Options of the test harness have no meaning here.
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut run = 0;
    for (name, program) in PROGRAMS {
        if parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str())) {
            println!("{name}");
            program();
            run += 1;
        }
    }
    println!("{run} of {} programs ran", PROGRAMS.len());
}

fn every_program_is_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let folders = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let name = |path: std::path::PathBuf| {
        let folder = path.parent().unwrap().file_name().unwrap();
        format!("{}/{}", folder.display(), path.file_stem().unwrap().display())
    };
    let listed: BTreeSet<String> = PROGRAMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(files.map(name).collect::<BTreeSet<_>>(), listed);
}
