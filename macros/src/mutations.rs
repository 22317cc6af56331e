//! No input makes a macro panic: the programs of the tests, mutated.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use proptest::prelude::*;

use crate::golden::expand_all;
use crate::pages;

/// The programs that use our macros, right and wrong ones.
static PROGRAMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = ["ui-tests/tests/pass", "ui-tests/tests/fail"];
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| files(&root.join(folder))).collect();
    files.sort();
    let programs = files.into_iter().map(|file| fs::read_to_string(file).unwrap());
    let errors = pages::cases(&root.join("macros/tests/errors")).into_iter();
    let errors = errors.filter_map(|mut case| case.files.remove(&case.name));
    programs.chain(errors).filter(|program| program.parse::<TokenStream>().is_ok()).collect()
});

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// What is put among the tokens of a program: tokens, and the texts of literals.
const PIECES: &[&str] = &[
    "x",
    "r#type",
    "r#fn",
    "crate",
    "self",
    "Self",
    "super",
    "_",
    "__rt",
    "é",
    "mut",
    "dyn",
    "async",
    "where",
    "for",
    "except",
    "tool",
    "state",
    "State<u8>",
    "'a",
    "'static",
    "'c'",
    "b\"x\"",
    "c\"x\"",
    "1",
    "-1",
    "0xff_u8",
    "1e999",
    "1.5f32",
    "99999999999999999999999999999999999999999999",
    "true",
    "\"\"",
    "\"Greet { guest }, {guest}, {{ guest }}, {r#type}, {guest /* x */}\"",
    "\"{guest.99999999999999999999} {self} {_} {a.00}\"",
    "\"fn main() { body }\"",
    "\"²\\u{0}\\n\\u{202e}\"",
    "r#\"{\"a\": [1, null]}\"#",
    "[]",
    "{}",
    "()",
    "(1, \"x\")",
    "[x, ..]",
    "{ x: 1 }",
    "#[arg(x)]",
    "#[config]",
    "#[doc = \"x\"]",
    "..",
    "::",
    "=>",
    "->",
    "=",
    ",",
    ";",
    "!",
    "&",
    "?",
    "$",
    "#",
    "|x| x",
    "impl Next",
    "include_str!(\"x\")",
];

#[derive(Debug, Clone)]
enum Change {
    Remove,
    Double,
    Swap,
    Replace(usize),
    Insert(usize),
    Delimiter(u8),
    /// Puts a piece into a literal of text.
    Text(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = 0..PIECES.len();
    prop_oneof![
        Just(Change::Remove),
        Just(Change::Double),
        Just(Change::Swap),
        piece.clone().prop_map(Change::Replace),
        piece.clone().prop_map(Change::Insert),
        any::<u8>().prop_map(Change::Delimiter),
        (piece, any::<usize>()).prop_map(|(piece, at)| Change::Text(piece, at)),
    ]
}

fn count(tokens: &TokenStream) -> usize {
    let inside = |token| if let TokenTree::Group(group) = token { count(&group.stream()) } else { 0 };
    tokens.clone().into_iter().map(|token| 1 + inside(token)).sum()
}

/// Changes the token of this number. `left`: how many tokens are before it.
fn changed(tokens: TokenStream, left: &mut Option<usize>, change: &Change) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if *left == Some(0) {
            *left = None;
            let piece = |index: usize| PIECES[index].parse::<TokenStream>().unwrap_or_default();
            match change {
                Change::Remove => {}
                Change::Double => out.extend([token.clone(), token]),
                Change::Swap => {
                    out.extend(tokens.next());
                    out.push(token);
                }
                Change::Replace(index) => out.extend(piece(*index)),
                Change::Insert(index) => {
                    out.push(token);
                    out.extend(piece(*index));
                }
                Change::Delimiter(which) => out.push(delimited(token, *which)),
                Change::Text(index, at) => out.push(with_text(token, PIECES[*index], *at)),
            }
            continue;
        }
        *left = left.map(|left| left - 1);
        out.push(match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), changed(group.stream(), left, change)))
            }
            token => token,
        });
    }
    out.into_iter().collect()
}

fn delimited(token: TokenTree, which: u8) -> TokenTree {
    let TokenTree::Group(group) = token else { return token };
    let delimiters = [Delimiter::Brace, Delimiter::Bracket, Delimiter::Parenthesis, Delimiter::None];
    Group::new(delimiters[usize::from(which) % delimiters.len()], group.stream()).into()
}

fn with_text(token: TokenTree, piece: &str, at: usize) -> TokenTree {
    let TokenTree::Literal(literal) = &token else { return token };
    let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else { return token };
    let mut text = text.value();
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    text.insert_str(places[at % places.len()], piece);
    Literal::string(&text).into()
}

/// `PROPTEST_CASES` says how many cases there are.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn long_a2_no_program_makes_a_macro_panic(
        program in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..6),
    ) {
        let program = program.get(&PROGRAMS);
        let mut tokens: TokenStream = program.parse().unwrap();
        for (at, change) in changes {
            let all = count(&tokens);
            if all > 0 {
                tokens = changed(tokens, &mut Some(at.index(all)), &change);
            }
        }
        expand_all(tokens);
        proc_macro2::extra::invalidate_current_thread_spans();
    }
}

#[test]
fn a2_the_programs_use_each_macro() {
    let used = |word: &str| PROGRAMS.iter().filter(|program| program.contains(word)).count();
    for word in [
        "agent!",
        "main!",
        "workflow!",
        "#[tool",
        "#[tool_hook",
        "#[toolbox",
        "#[guardrail",
        "#[run_hook",
        "#[turn_hook",
        "#[message_hook",
        "#[ui_tool",
        "Strict",
        "VisitSecrets",
    ] {
        assert!(used(word) > 0, "no program has `{word}`");
    }
}
