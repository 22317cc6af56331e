//! Pages of mistakes, for the tests of several crates: Markdown with the files of each case and the message about them, side by side.
//!
//! A case is a heading of the second level, the blocks of its files, and last a block `~~~text` with the message. A file's name is behind
//! the language of its block; a file without a name has that of the case. Files before the first case belong to every case of the page.
//! `TRYBUILD=overwrite` writes the messages anew.
#![allow(dead_code, reason = "some tests only read pages")]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Texts by the names of their files.
pub(crate) type Files = BTreeMap<String, String>;

/// A case of a page.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Without the line break at the end of each.
    pub(crate) files: Files,
    /// Empty in a new case.
    pub(crate) message: String,
    /// The place of the message's block in the page, with the empty line before it.
    place: Range<usize>,
}

/// A block of a page.
struct Block<'p> {
    /// The language, and the name of the file.
    info: &'p str,
    text: &'p str,
    end: usize,
}

/// The pages of a folder and of those in it.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|entry| if entry.is_dir() { pages(&entry) } else { vec![entry] }).collect()
}

/// The cases of all pages of a folder.
pub(crate) fn cases(folder: &Path) -> Vec<Case> {
    pages(folder).iter().flat_map(|page| read(&fs::read_to_string(page).unwrap()).1).collect()
}

/// The files of every case of a page, and its cases.
pub(crate) fn read(page: &str) -> (Files, Vec<Case>) {
    let mut parts = vec![("", Vec::new())];
    let (mut at, mut open) = (0, None);
    for line in page.split_inclusive('\n') {
        let (begin, words) = (at, line.trim_end());
        at += line.len();
        if let Some((info, start)) = open {
            if words == "~~~" {
                let text = page[start..begin].strip_suffix('\n').unwrap_or_default();
                parts.last_mut().unwrap().1.push(Block { info, text, end: at });
                open = None;
            }
        } else if let Some(name) = words.strip_prefix("## ") {
            parts.push((name, Vec::new()));
        } else {
            open = words.strip_prefix("~~~").map(|info| (info, at));
        }
    }
    let files = |name: &str, blocks: &[Block<'_>]| -> Files {
        let file = |block: &Block<'_>| {
            (block.info.split_once(' ').map_or(name, |(_, file)| file).to_owned(), block.text.to_owned())
        };
        blocks.iter().map(file).collect()
    };
    let mut parts = parts.into_iter();
    let base = files("", &parts.next().unwrap().1);
    let cases = parts.map(|(name, mut blocks)| {
        let end = blocks.last().unwrap_or_else(|| panic!("the case `{name}` has no block")).end;
        let message = if blocks.len() > 1 { blocks.pop_if(|last| last.info == "text") } else { None };
        Case {
            name: name.to_owned(),
            files: base.clone().into_iter().chain(files(name, &blocks)).collect(),
            message: message.map_or(String::new(), |block| block.text.to_owned()),
            place: blocks.last().unwrap().end..end,
        }
    });
    let cases = cases.collect();
    (base, cases)
}

/// Compares the messages of a page with `found`: what is said of a case, or the reason why it proves nothing. Returns how many cases there are.
pub(crate) fn hold(path: &Path, found: impl Fn(&Case) -> Result<String, String>) -> usize {
    let page = fs::read_to_string(path).unwrap();
    let (written, differ) = compare(&page, &found);
    if overwrites() && written != page {
        fs::write(path, written).unwrap();
        return hold(path, found);
    }
    assert!(
        differ.is_empty(),
        "{}; TRYBUILD=overwrite writes other messages anew\n\n{}",
        path.display(),
        differ.join("\n\n")
    );
    read(&page).1.len()
}

/// The page with the messages that are found, and how cases differ from it.
pub(crate) fn compare(page: &str, found: impl Fn(&Case) -> Result<String, String>) -> (String, Vec<String>) {
    let (mut written, mut differ) = (page.to_owned(), Vec::new());
    for case in read(page).1.iter().rev() {
        match found(case) {
            Ok(found) if found.is_empty() => differ.push(format!("{}: it has no mistake", case.name)),
            Ok(found) if found.trim_end() == case.message => {}
            Ok(found) => {
                let found = found.trim_end();
                written.replace_range(case.place.clone(), &format!("\n~~~text\n{found}\n~~~\n"));
                differ.push(format!("{}: expected:\n{}\nfound:\n{found}", case.name, case.message));
            }
            Err(reason) => differ.push(format!("{}: {reason}", case.name)),
        }
    }
    (written, differ)
}

/// Whether tests write what they expect, as trybuild does.
pub(crate) fn overwrites() -> bool {
    env::var_os("TRYBUILD").is_some_and(|word| word == "overwrite")
}
