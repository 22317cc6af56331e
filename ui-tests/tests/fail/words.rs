//! The rule for compiler messages: one mistake, one error, and no generated names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{errors, pages, root};

/// The cases of the macros that do not compile: their names, programs and words. The words are in part rustc's, or are the macros'.
fn cases() -> Vec<(String, String, String)> {
    let names = [
        "agent",
        "answer",
        "guardrail",
        "hook",
        "message_hook",
        "run_hook",
        "strict",
        "tool",
        "toolbox",
        "turn_hook",
        "unused",
        "visit",
    ];
    let folders = names.into_iter().map(|name| root().join(name));
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let programs = files.filter(|path| path.extension().unwrap() == "rs");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let cases =
        programs.map(|path| (path.display().to_string(), read(&path), read(&path.with_extension("stderr"))));
    let own = pages::cases(&errors()).into_iter();
    let own = own.map(|mut case| {
        let program = case.files.remove(&case.name).unwrap();
        (case.name, program, case.message)
    });
    cases.chain(own).collect()
}

/// How many mistakes a program has: `//~` says what is wrong with the lines below it. A program without such a mark has one.
fn mistakes(program: &str) -> usize {
    program.lines().filter(|line| line.trim_start().starts_with("//~ ")).count().max(1)
}

/// Rustc shows lines of the standard library only where the component `rust-src` is installed, so no case may depend on them.
#[test]
fn words_stand_beside_their_programs_and_show_nothing_of_std() {
    let folders =
        fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let (words, others): (Vec<_>, Vec<_>) =
        files.partition(|path| path.extension().is_some_and(|of| of == "stderr"));
    let programs: Vec<_> = others.iter().filter(|path| path.is_file()).collect();
    let mistakes: usize = programs.iter().map(|path| mistakes(&fs::read_to_string(path).unwrap())).sum();
    assert!(mistakes >= 375, "{mistakes} mistakes");
    assert_eq!(words.len(), programs.len());
    for words in words {
        assert!(words.with_extension("rs").exists(), "{} belongs to no case", words.display());
        assert!(!fs::read_to_string(&words).unwrap().contains("$RUST"), "{}", words.display());
    }
}

/// Where rustc adds errors that cannot be prevented, the program begins with the reason, `// ..`.
#[test]
fn a2_each_mistake_is_one_error() {
    let cases = cases();
    let all: usize = cases.iter().map(|(_, program, _)| mistakes(program)).sum();
    assert!(all > 550, "{all} mistakes");
    let several = cases.iter().filter(|(_, program, words)| {
        let errors = words.lines().filter(|line| line.starts_with("error")).count();
        // Each mistake in a card is an error at its invocation.
        errors != mistakes(program) && !program.starts_with("// ") && !program.contains("agent!(card")
    });
    assert_eq!(several.map(|(name, ..)| name).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// What is not public of the runtime, as it reads in the compiler's words: what the macros write calls on, and is not
/// offered beside them.
fn private_names() -> BTreeSet<String> {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/core/src");
    let read = |file: &str| fs::read_to_string(runtime.join(file)).unwrap();
    let (root, private) = (read("lib.rs"), read("__private0.rs"));
    let reexported = |text: &str, hidden: bool| -> BTreeSet<String> {
        let items =
            text.split(';').filter(|item| item.contains("pub use crate::") || item.contains("pub use "));
        let items = items.filter(|item| item.contains("#[doc(hidden)]") == hidden);
        let names =
            items.flat_map(|item| item.split_once("pub use ").unwrap().1.split(['{', '}', ',', ':', ' ']));
        names.map(|name| name.trim().to_owned()).collect()
    };
    let mut names = reexported(&private, false);
    names.extend(reexported(&root, true));
    let mut public = reexported(&root, false);
    let modules = root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    for module in modules.filter(|module| !module.starts_with("__")) {
        let file = [format!("{module}.rs"), format!("{module}/mod.rs")];
        let Some(file) = file.iter().find(|file| runtime.join(file).exists()) else { continue };
        let module = read(file);
        public.extend(reexported(&module, false));
        let kinds = ["pub trait ", "pub enum ", "pub struct "];
        let items = module.lines().filter_map(|line| {
            // A trait may be a row of a table, which has its name first.
            let row = line.strip_prefix("    ").filter(|row| row.starts_with(char::is_uppercase));
            kinds.iter().find_map(|kind| line.strip_prefix(kind)).or(row)
        });
        public
            .extend(items.filter_map(|line| line.split(['<', ':', ' ', '(', ';']).next()).map(str::to_owned));
    }
    // Of the standard library and of serde.
    public.extend(
        [
            "Error", "Arc", "BTreeMap", "Cow", "Duration", "Err", "None", "OnceLock", "Ok", "Option",
            "Result", "Some", "String", "ToOwned", "Vec", "Value",
        ]
        .map(Into::into),
    );
    names.into_iter().filter(|name| is_type(name) && !public.contains(name)).collect()
}

fn is_type(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_lowercase())
}

/// What a case shows of what its author cannot have written and cannot look up.
fn strange(source: &str, shown: &str, private: &BTreeSet<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // A run of `_` is what rustc underlines with; `server__tool` is a name of the case's own.
    let generated = shown.match_indices("__").filter_map(|(at, _)| {
        if shown[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let rest = shown[at..].trim_start_matches('_');
        rest.starts_with(|c: char| c.is_ascii_alphanumeric()).then(|| rest[..rest.len().min(20)].to_owned())
    });
    found.extend(generated);
    let marks = [
        "{constant#",
        "{closure@",
        "AsWritten",
        "HookOf_",
        "StatesOf_",
        "onionskin::tool::",
        "long-type-",
        // A constant of the macros that panics: a trait says it in words of its own.
        "E0080",
    ];
    found.extend(marks.iter().filter(|mark| shown.contains(**mark)).map(|mark| (*mark).to_owned()));
    let is_word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    // Text between `` ` `` is code, and so is text after `|`.
    let code = shown.lines().flat_map(|line| {
        let quoted = line.split('`').skip(1).step_by(2);
        let source = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').strip_prefix('|');
        quoted.chain(source)
    });
    for word in code.flat_map(|code| code.split(is_word)) {
        if private.contains(word) && !source.split(is_word).any(|own| own == word) {
            found.push(word.to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn a2_nothing_private_is_named() {
    let private = private_names();
    assert!(private.contains("EndRing") && !private.contains("ToolContext"), "{private:?}");
    let named = cases().into_iter().filter_map(|(name, program, words)| {
        let found = strange(&program, &words, &private);
        (!found.is_empty()).then_some((name, found))
    });
    assert_eq!(named.collect::<Vec<_>>(), Vec::<(String, Vec<String>)>::new());
}

/// For programs that are half typed in an editor.
#[test]
fn none_of_the_words_are_ours() {
    let folder = root().join("half_typed");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            let words = fs::read_to_string(&path).unwrap();
            assert!(!words.contains("this error originates in"), "{}:\n{words}", path.display());
            assert!(!words.contains("macro expansion"), "{}:\n{words}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 15, "{seen} cases");
}
