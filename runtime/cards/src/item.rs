//! How a card names a tool, a hook or a type of the program.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::paths::{normal, shown};

/// A tool, a hook or a type, as a card names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Item {
    /// `tools.rs:add_one`: an item of a file, relative to the card.
    File {
        /// The file, with `/` between its parts.
        file: String,
        /// The item's name, or its path in the file.
        name: String,
    },
    /// `crate::tools::add_one`: a path of the program.
    Path(String),
}

/// The examples of items that can be scripts.
const SCRIPTS: [&str; 4] = ["tools.rs:add_one", "hooks.rs:audit", "hooks.rs:redact", "rules.rs:is_large"];

impl Item {
    /// Reads a name. `example` is one that fits.
    ///
    /// # Errors
    /// Returns what to write instead.
    pub(crate) fn read(text: &str, example: &str) -> Result<Self, String> {
        let last = example.rsplit(':').next().unwrap_or(example);
        let wanted = || {
            format!(
                "`{text}` names nothing: write a file and a name, `{example}`, or a path, `crate::tools::{last}`"
            )
        };
        let Some((file, name)) = divided(text) else {
            return match text.rsplit_once('.') {
                _ if is_path(text) => Ok(Self::Path(plain_path(text).into_owned())),
                Some((stem, "rs" | "rhai")) if !stem.is_empty() => {
                    Err(format!("`{text}` is a file: write the name behind it, `{text}:{last}`"))
                }
                _ => Err(wanted()),
            };
        };
        if !is_path(name) {
            return Err(wanted());
        }
        let instead = |stem: &str| {
            let rust = format!("in Rust, `{stem}.rs:{name}`");
            if SCRIPTS.contains(&example) {
                format!("write it as a script, `{stem}.rhai:{name}`, or {rust}")
            } else {
                format!("write it {rust}")
            }
        };
        match file.rsplit_once('.').unwrap_or((file, "")) {
            (stem, "rs" | "rhai") if !stem.is_empty() => {}
            (stem, "py") => {
                return Err(format!("`{file}` is Python, which is not run here: {}", instead(stem)));
            }
            (stem, _) => return Err(format!("`{file}` is neither Rust nor Rhai: {}", instead(stem))),
        }
        if file.contains('\\') {
            return Err(format!(
                "write `/` between the parts of a file's path: `{}:{name}`",
                file.replace('\\', "/")
            ));
        }
        Ok(Self::in_file(file, name))
    }

    /// An item of a file. One item has one form, however it is written.
    pub(crate) fn in_file(file: &str, name: &str) -> Self {
        Self::File { file: shown(&normal(Path::new(file))), name: plain_path(name).into_owned() }
    }

    /// Whether it is in a script, and not in Rust.
    pub fn is_script(&self) -> bool {
        matches!(self, Self::File { file, .. } if Path::new(file).extension().is_some_and(|ending| ending == "rhai"))
    }

    /// The last part of the name.
    pub fn last_name(&self) -> &str {
        let (Self::File { name, .. } | Self::Path(name)) = self;
        name.rsplit("::").next().unwrap_or(name)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, name } => write!(f, "{file}:{name}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

/// The file and the name, divided at the only colon that is alone.
fn divided(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let is_colon = |at: usize| bytes.get(at) == Some(&b':');
    let alone = |at: &usize| is_colon(*at) && !is_colon(at + 1) && !(*at > 0 && is_colon(at - 1));
    let at = (0..bytes.len()).find(alone)?;
    Some((&text[..at], &text[at + 1..]))
}

/// A path without the marks of raw names, which the names do not need in a card.
pub fn plain_path(path: &str) -> Cow<'_, str> {
    if !path.contains("r#") {
        return Cow::Borrowed(path);
    }
    let names: Vec<&str> = path.split("::").map(|name| name.strip_prefix("r#").unwrap_or(name)).collect();
    Cow::Owned(names.join("::"))
}

/// Whether this is a path of Rust: names with `::` between them.
pub(crate) fn is_path(text: &str) -> bool {
    let is_name = |name: &str| {
        let raw = name.strip_prefix("r#");
        let mut chars = raw.unwrap_or(name).chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_')
            && !matches!(raw, Some("self" | "Self" | "super" | "crate" | "_"))
    };
    text.strip_prefix("::").unwrap_or(text).split("::").all(is_name)
}

#[cfg(test)]
mod tests {
    use super::Item;

    #[test]
    fn c1_an_item_is_named_by_its_file_or_by_its_path() {
        let file = |file: &str, name: &str| Ok(Item::File { file: file.to_owned(), name: name.to_owned() });
        let path = |path: &str| Ok(Item::Path(path.to_owned()));
        let read = |text: &str| Item::read(text, "tools.rs:add_one");
        assert_eq!(read("tools.rs:add_one"), file("tools.rs", "add_one"));
        assert_eq!(read("../shared/tools.rs:sums::add_one"), file("../shared/tools.rs", "sums::add_one"));
        assert_eq!(read("./a/../tools.rs:r#match"), file("tools.rs", "match"));
        assert_eq!(read("crate::r#type::f"), path("crate::type::f"));
        assert_eq!(read("C.rhai:f"), file("C.rhai", "f"));
        assert_eq!(read("crate::tools::add_one"), path("crate::tools::add_one"));
        assert_eq!(read("::onionskin::hooks::log"), path("::onionskin::hooks::log"));
        assert_eq!(read("add_one"), path("add_one"));
        for wrong in [
            "",
            ":",
            "a b",
            "a²",
            "crate::r#self",
            "tools.rs:",
            ":add_one",
            "tools.rs:add one",
            "a:::b",
            "a::",
            "tools.rs",
            "1a",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("tools.py:add_one").unwrap_err().contains("is Python"));
        assert!(read("tools.txt:add_one").unwrap_err().contains("neither Rust nor Rhai"));
        assert!(read("a\\b.rs:f").unwrap_err().ends_with("`a/b.rs:f`"));
    }
}
