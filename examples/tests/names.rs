//! The names of the sources use the terms of the field: `CONTRIBUTING.md` lists the words that no name has.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

const HOUSE: &str = include_str!("../../CONTRIBUTING.md");

/// Names that have a word of the list, and why they keep it.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Where a word is refused.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// As the first word of an item's name. Tests are sentences, in which the word may be right.
    Beginning,
    /// In the name of any item and test.
    Anywhere,
}

/// A row of the table in `CONTRIBUTING.md`.
struct Row {
    words: Vec<&'static str>,
    place: Place,
    instead: &'static str,
}

fn rows() -> Vec<Row> {
    let table = HOUSE.split("| word | where | write instead |\n").nth(1).unwrap();
    let lines = table.split("\n\n").next().unwrap().lines().skip(1);
    let rows = lines.map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [words, place, instead] = cells[..] else { panic!("{line}") };
        let place = match place {
            "first word" => Place::Beginning,
            "any word" => Place::Anywhere,
            other => panic!("{other}"),
        };
        Row { words: words.split('`').skip(1).step_by(2).collect(), place, instead }
    });
    rows.collect()
}

/// A name that an item, a test or a variant declares.
#[derive(Debug, PartialEq)]
struct Name {
    text: String,
    is_test: bool,
}

impl Name {
    fn item(text: &str) -> Self {
        Self { text: text.to_owned(), is_test: false }
    }

    fn test(text: &str) -> Self {
        Self { text: text.to_owned(), is_test: true }
    }

    /// The words of `GivenSetting` and of `given_setting`: `given`, `setting`.
    fn words(&self) -> Vec<String> {
        let mut words = vec![String::new()];
        for letter in self.text.trim_start_matches("r#").chars() {
            if letter == '_' || letter.is_uppercase() {
                words.push(String::new());
            }
            if letter != '_' {
                words.last_mut().unwrap().extend(letter.to_lowercase());
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    fn refused_by<'r>(&self, rows: &'r [Row]) -> Option<&'r Row> {
        let words = self.words();
        let has = |row: &Row| match row.place {
            Place::Anywhere => words.iter().any(|word| row.words.contains(&word.as_str())),
            Place::Beginning => {
                !self.is_test && words.first().is_some_and(|word| row.words.contains(&word.as_str()))
            }
        };
        rows.iter().find(|row| has(row))
    }
}

/// Reads the names that a code declares: functions, types, traits, modules and variants, also those in macros.
fn read(code: TokenStream, names: &mut Vec<Name>) {
    let tokens: Vec<_> = code.into_iter().collect();
    let mut is_test = false;
    let mut is_enum = false;
    for (at, token) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) if hash.as_char() == '#' => {
                is_test |= is_for_tests(attribute.stream());
            }
            (TokenTree::Ident(keyword), Some(TokenTree::Ident(name))) => {
                match keyword.to_string().as_str() {
                    "fn" if is_test => names.push(Name::test(&name.to_string())),
                    "fn" | "struct" | "union" | "trait" | "type" | "mod" => {
                        names.push(Name::item(&name.to_string()));
                    }
                    "enum" => {
                        names.push(Name::item(&name.to_string()));
                        is_enum = true;
                    }
                    _ => continue,
                }
                is_test = false;
            }
            (TokenTree::Group(group), _) => {
                if std::mem::take(&mut is_enum) {
                    read_variants(group.stream(), names);
                }
                read(group.stream(), names);
            }
            _ => {}
        }
    }
}

/// Whether the last word of an attribute's path is `test`, as in `#[tokio::test(start_paused = true)]`.
fn is_for_tests(attribute: TokenStream) -> bool {
    let path = attribute.into_iter().take_while(|token| !matches!(token, TokenTree::Group(_)));
    let last = path.filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    last.last().is_some_and(|word| word == "test")
}

/// Reads the names of the variants in the braces of an enum.
fn read_variants(body: TokenStream, names: &mut Vec<Name>) {
    let mut begins = true;
    for token in body {
        match token {
            TokenTree::Ident(name) if begins => {
                names.push(Name::item(&name.to_string()));
                begins = false;
            }
            TokenTree::Punct(comma) if comma.as_char() == ',' => begins = true,
            _ => {}
        }
    }
}

/// All Rust files below a folder.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() && !path.ends_with("target") {
            files(&path, into);
        } else if is_source {
            into.push(path);
        }
    }
}

#[test]
fn names_use_the_terms_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for folder in ["bench", "examples", "judges", "macros", "runtime", "ui-tests"] {
        files(&root.join(folder), &mut sources);
    }
    assert!(sources.len() > 500, "{}", sources.len());
    let rows = rows();
    let mut refused = Vec::new();
    let mut unused: Vec<_> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    for file in sources {
        // What is no Rust by itself is a template or the program of a mistake.
        let Ok(code) = fs::read_to_string(&file).unwrap().parse() else { continue };
        let mut names = Vec::new();
        read(code, &mut names);
        for name in names {
            let Some(row) = name.refused_by(&rows) else { continue };
            if EXCEPTIONS.iter().any(|(exception, _)| *exception == name.text) {
                unused.retain(|exception| *exception != name.text);
            } else {
                let file = file.strip_prefix(&root).unwrap().display();
                refused.push(format!("{file}: `{}`; write {}", name.text, row.instead));
            }
        }
    }
    assert!(refused.is_empty(), "CONTRIBUTING.md refuses these names:\n{}", refused.join("\n"));
    assert!(unused.is_empty(), "no source has these exceptions: {unused:?}");
}
