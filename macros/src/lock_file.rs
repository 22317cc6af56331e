//! The package's `onionskin-mcp.lock.json`: the names of the tools of MCP servers.
//!
//! `onionskin_mcp::snapshot` writes the file, describes its format and reads all of it. The compiler needs no more than names, and finds them
//! by the lines that the file is written in: `serde_json` would be compiled once more in each program, before the macros, because its
//! features differ from those of the program's own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use syn::LitStr;

use crate::package;

/// The name of the file, beside the package's `Cargo.toml`.
pub(crate) const NAME: &str = "onionskin-mcp.lock.json";
/// The command that writes the file.
pub(crate) const COMMAND: &str = "onionskin mcp lock";

/// The newest version. Version 1 is read too.
const VERSION: u64 = 2;
/// A larger file is refused.
const MOST_BYTES: u64 = 8 << 20;

/// The file of a package.
#[derive(Debug, PartialEq)]
pub(crate) struct LockFile {
    pub(crate) path: PathBuf,
    /// The names of the tools of each server.
    pub(crate) servers: BTreeMap<String, Vec<String>>,
}

/// A file, or why it cannot be used.
pub(crate) type Read = Result<Rc<LockFile>, String>;

/// How the file was when it was read: an editor expands macros after changes too.
type State = (PathBuf, u64, Option<SystemTime>);

thread_local! {
    /// The last file, so that it is read once however many invocations a package has.
    static LAST: RefCell<Option<(State, Read)>> = const { RefCell::new(None) };
}

/// The file of the package that is compiled, if it has one.
pub(crate) fn read_package() -> Option<Read> {
    let path = package::folder()?.join(NAME);
    let metadata = fs::metadata(&path).ok()?;
    let state = (path, metadata.len(), metadata.modified().ok());
    LAST.with_borrow_mut(|last| match last {
        Some((known, read)) if *known == state => Some(read.clone()),
        _ => {
            let read = in_file(&state.0, &metadata).map(Rc::new);
            *last = Some((state, read.clone()));
            Some(read)
        }
    })
}

fn in_file(path: &Path, metadata: &Metadata) -> Result<LockFile, String> {
    let unread = |reason: &dyn std::fmt::Display| {
        format!("cannot read `{NAME}`: {reason}; run `{COMMAND}` to write it")
    };
    if !metadata.is_file() {
        return Err(unread(&"it is not a file"));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| unread(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!(
            "`{NAME}` has more than {MOST_BYTES} bytes: lock fewer servers, by their names: `{COMMAND} SERVER..`"
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| unread(&"it is not UTF-8"))?;
    let servers = servers(&text)?;
    Ok(LockFile { path: path.to_owned(), servers })
}

/// The names of the tools of each server in a text: the keys at two depths, each on a line of its own.
fn servers(text: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let wrong = |line: usize, column: usize| {
        format!("{NAME}:{line}:{column}: unexpected content; run `{COMMAND}` to rewrite the file")
    };
    match text.lines().find_map(|line| line.strip_prefix("  \"version\": ")?.parse().ok()) {
        Some(1..=VERSION) => {}
        None | Some(0) => return Err(wrong(1, 1)),
        Some(later) => {
            return Err(format!(
                "`{NAME}` has version {later}, and this onionskin reads version {VERSION}: update onionskin, or run `{COMMAND}` to rewrite the file"
            ));
        }
    }
    let mut servers: Vec<(String, Vec<String>)> = Vec::new();
    let mut lines = (1..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let inside = line.trim_start_matches(' ');
        let depth = line.len() - inside.len();
        let line = inside.trim_end_matches(',');
        let is_as_written = match (depth, line) {
            (0, "{") => number == 1,
            (0, "}") => lines.peek().is_none(),
            (2 | 4 | 6 | 8, "}")
            | (2, r#""servers": {"# | r#""servers": {}"#)
            | (6, r#""tools": {"# | r#""tools": {}"#) => true,
            (2, _) => line.starts_with("\"note\": ") || line.starts_with("\"version\": "),
            (4, _) => opened(line).map(|server| servers.push((server, Vec::new()))).is_some(),
            (8, _) => {
                opened(line).zip(servers.last_mut()).map(|(tool, (_, tools))| tools.push(tool)).is_some()
            }
            _ => depth > 8,
        };
        if !is_as_written || (lines.peek().is_none() && depth > 0) {
            return Err(wrong(number, depth + 1));
        }
    }
    Ok(servers.into_iter().collect())
}

/// The key of an object that opens on this line.
fn opened(line: &str) -> Option<String> {
    let key = line.strip_suffix(": {").filter(|key| key.starts_with('"'))?;
    // The texts of JSON are those of Rust, except for a few control characters.
    Some(syn::parse_str::<LitStr>(key).map_or_else(|_| key.trim_matches('"').to_owned(), |key| key.value()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::{NAME, read_package, servers};
    use crate::package::with_folder;

    /// As `onionskin_mcp::snapshot` writes it: a test there compares it.
    const WRITTEN: &str = include_str!("../../runtime/mcp/src/snapshot/written.json");

    #[test]
    fn a3_names_are_read_as_the_runtime_writes_them() {
        let servers = servers(WRITTEN).unwrap();
        let names: Vec<_> = servers.iter().map(|(name, tools)| (name.as_str(), tools.join("|"))).collect();
        assert_eq!(names, [("a", String::new()), ("tü \"x\"", "a😀\n|get_time".to_owned())]);
        assert!(super::servers(&WRITTEN.replace('\n', "\r\n")).unwrap() == servers);
    }

    #[test]
    fn a3_what_is_not_written_so_has_a_place() {
        let reason = |text: &str| servers(text).unwrap_err();
        let conflict = WRITTEN.replacen("  \"servers\"", "<<<<<<< HEAD\n  \"servers\"", 1);
        assert_eq!(
            reason(&conflict),
            "onionskin-mcp.lock.json:3:1: unexpected content; run `onionskin mcp lock` to rewrite the file"
        );
        for text in [
            "",
            "null",
            "{}",
            "{\n}\n",
            "{\n  \"version\": 0\n}\n",
            "\u{feff}{\n}",
            "{\n}\n}\n",
            "{\n{\n}\n",
            r#"{"version": 1, "servers": {}}"#,
            &WRITTEN.replace("  ", "    "),
            &WRITTEN.replace("\"version\"", "\"extra\""),
            &WRITTEN.replace("\"tools\": {", "\"tools\": ["),
            &WRITTEN.replace("\"tools\": {", "\"url\": {"),
            &WRITTEN.replace("\"get_time\": {", "\"get_time\": null"),
            &WRITTEN.replace("\"get_time\": {", "get_time: {"),
        ] {
            assert!(servers(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a3_a_changed_file_is_read_again_and_a_hostile_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let read = || with_folder(folder.path(), read_package);
        assert_eq!(read(), None);
        fs::write(&path, "{\n  \"servers\": {},\n  \"version\": 1\n}\n").unwrap();
        assert!(read().unwrap().unwrap().servers.is_empty());
        fs::write(&path, WRITTEN).unwrap();
        assert_eq!(read().unwrap().unwrap().servers.len(), 2);
        fs::write(&path, "{\n  \"servers\": 2,\n  \"version\": 1\n}\n").unwrap();
        assert!(read().unwrap().unwrap_err().starts_with("onionskin-mcp.lock.json:2:3: "));
        fs::write(&path, "{\n  \"tools\": [],\n  \"version\": 12\n}\n").unwrap();
        assert!(read().unwrap().unwrap_err().contains("has version 12"));
        fs::write(&path, [0xff]).unwrap();
        assert!(read().unwrap().unwrap_err().contains("UTF-8"));
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read().unwrap().unwrap_err().contains("more than 8388608 bytes"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(read().unwrap().unwrap_err().contains("it is not a file"));
    }

    proptest! {
        #[test]
        fn a3_no_text_is_a_panic(text in r#"([\[\]{},:"\\0-9eE.+\-tfn u\n]|  |"[a-z\\]*": \{|.){0,60}"#) {
            let _ = servers(&text);
        }

        #[test]
        fn a3_no_beginning_is_read(cut in 0..WRITTEN.len() - 2, inserted in ".{0,3}") {
            let at = WRITTEN.floor_char_boundary(cut);
            prop_assert!(servers(&WRITTEN[..at]).is_err());
            let _ = servers(&format!("{}{inserted}{}", &WRITTEN[..at], &WRITTEN[at..]));
        }
    }
}
