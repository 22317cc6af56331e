//! Names of projects.

/// Words that are keywords of Rust, or will be.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Names that crates or folders of a build have already.
const TAKEN: [&str; 10] =
    ["alloc", "build", "core", "deps", "examples", "incremental", "onionskin", "proc_macro", "std", "test"];

/// The most characters of a name.
const LONGEST_NAME: usize = 64;

/// Why a name cannot be that of a project; none if it can.
pub(super) fn mistake(name: &str) -> Option<String> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Some("it has to begin with a letter from `a` to `z`".to_owned());
    }
    if let Some(c) = name.chars().find(|c| !is_inner(*c)) {
        return Some(format!(
            "it has `{}`; write letters from `a` to `z`, digits, `-` and `_`",
            c.escape_default()
        ));
    }
    if name.len() > LONGEST_NAME {
        return Some(format!("it has more than {LONGEST_NAME} characters"));
    }
    None
}

/// Why the name of a project cannot be that of a package of Rust.
pub(super) fn mistake_of_package(name: &str) -> Option<String> {
    if KEYWORDS.contains(&name) {
        return Some("it is a keyword of Rust".to_owned());
    }
    TAKEN.contains(&name).then(|| "another crate, or a folder of the build, has this name".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{mistake, mistake_of_package};

    #[test]
    fn o1_names_are_those_that_cargo_takes() {
        for name in ["a", "help-desk", "Help_desk2", "nul1"] {
            assert_eq!(mistake(name).or_else(|| mistake_of_package(name)), None, "{name}");
        }
        for (name, part) in [
            ("", "has to begin with a letter"),
            ("2x", "has to begin with a letter"),
            ("-x", "has to begin with a letter"),
            ("a/b", "it has `/`"),
            ("a b", "it has ` `"),
            ("über", "has to begin with a letter"),
            ("a\u{1b}", "it has `\\u{1b}`"),
            ("async", "keyword"),
            ("test", "another crate"),
            ("onionskin", "another crate"),
            (&"a".repeat(65), "more than 64"),
        ] {
            let mistake = mistake(name).or_else(|| mistake_of_package(name));
            assert!(mistake.unwrap_or_default().contains(part), "{name}");
        }
    }
}
