//! The package's `onionskin-mcp.lock.json`: the names of the tools of MCP servers.
//!
//! `onionskin_mcp::snapshot` writes the file and describes its format. It is read with a reader of our own (`json`), because `serde_json`
//! would be compiled once more in each program, before the macros: its features differ from those of the program's own.

mod json;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use json::{Json, Mistake};

use crate::package;

/// The name of the file, beside the package's `Cargo.toml`.
pub(crate) const NAME: &str = "onionskin-mcp.lock.json";
/// The command that writes the file.
pub(crate) const COMMAND: &str = "onionskin mcp lock";

/// The newest version. Version 1 is read too.
const VERSION: &str = "2";
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
pub(crate) fn of_package() -> Option<Read> {
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

/// The names of the tools of each server in a text.
fn servers(text: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let file = json::read(text).map_err(|mistake| wrong(text, &mistake))?;
    let wrong = |mistake| wrong(text, &mistake);
    let fields = file.object("the file").map_err(wrong)?;
    if let Some((_, Json { at, value: json::Value::Number(version) })) =
        fields.iter().find(|(key, _)| key == "version")
        && version != VERSION
        && version != "1"
    {
        return match version.parse::<u64>() {
            Ok(later) if later > 0 => Err(format!(
                "`{NAME}` has version {later}, and this onionskin reads version {VERSION}: update onionskin, or run `{COMMAND}` to \
                 write the file anew"
            )),
            _ => Err(wrong(Mistake { at: *at, reason: format!("there is no version {version}") })),
        };
    }
    of_file(&file).map_err(wrong)
}

fn wrong(text: &str, Mistake { at, reason }: &Mistake) -> String {
    let before = text.get(..*at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("{NAME}:{line}:{column}: {reason}; run `{COMMAND}` to write the file anew")
}

fn of_file(file: &Json) -> Result<BTreeMap<String, Vec<String>>, Mistake> {
    let [version, note, servers] = file.fields("the file", ["version", "note", "servers"])?;
    let version = version.ok_or_else(|| file.mistake("`version` is missing"))?;
    if !matches!(version.value, json::Value::Number(_)) {
        return Err(version.mistake("`version` is a number"));
    }
    text_or_null(note, "note")?;
    let servers = servers.ok_or_else(|| file.mistake("`servers` is missing"))?.object("`servers`")?;
    servers.iter().map(|(name, server)| Ok((name.clone(), of_server(server)?))).collect()
}

/// Checks the hints of a tool: each is a truth value.
fn of_hints(hints: &Json) -> Result<(), Mistake> {
    const KNOWN: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    for (name, hint) in hints.object("`annotations`")? {
        let is_truth = matches!(hint.value, json::Value::Other | json::Value::Null);
        if KNOWN.contains(&name.as_str()) && !is_truth {
            return Err(hint.mistake(format!("`{name}` is true or false")));
        }
    }
    Ok(())
}

fn of_server(server: &Json) -> Result<Vec<String>, Mistake> {
    let [tools] = server.fields("a server", ["tools"])?;
    let tools = tools.ok_or_else(|| server.mistake("`tools` is missing"))?.object("`tools`")?;
    for (_, tool) in tools {
        let [title, description, hints, input, output] =
            tool.fields("a tool", ["title", "description", "annotations", "inputSchema", "outputSchema"])?;
        text_or_null(title, "title")?;
        text_or_null(description, "description")?;
        if let Some(hints) = hints.filter(|hints| !matches!(hints.value, json::Value::Null)) {
            of_hints(hints)?;
        }
        input.ok_or_else(|| tool.mistake("`inputSchema` is missing"))?.object("a schema")?;
        if let Some(output) = output.filter(|output| !matches!(output.value, json::Value::Null)) {
            output.object("a schema")?;
        }
    }
    Ok(tools.iter().map(|(name, _)| name.clone()).collect())
}

fn text_or_null(field: Option<&Json>, name: &str) -> Result<(), Mistake> {
    match field {
        Some(field) if !matches!(field.value, json::Value::Text | json::Value::Null) => {
            Err(field.mistake(format!("`{name}` is text")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::{NAME, of_package, servers};
    use crate::package::with_folder;

    /// The elements of a list of JSON, without a reader that is tested here: in these files each has a line of its own.
    fn elements(list: &str) -> impl Iterator<Item = &str> {
        let lines = list.lines().map(str::trim).filter(|line| !matches!(*line, "[" | "]"));
        lines.map(|line| line.strip_suffix(',').unwrap_or(line))
    }

    #[test]
    fn a3_texts_are_accepted_and_refused_as_the_runtime_does() {
        for text in elements(include_str!("../../../runtime/mcp/src/snapshot/accepted.json")) {
            servers(text).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        }
        let refused = elements(include_str!("../../../runtime/mcp/src/snapshot/refused.json"));
        // Texts of JSON are texts of Rust, but for the escapes of characters.
        let refused: Vec<String> = refused
            .map(|text| {
                let text = text.replace("\\ufeff", "\\u{feff}").replace("\\u0001", "\\u{1}");
                syn::parse_str::<syn::LitStr>(&text).unwrap().value()
            })
            .collect();
        assert!(refused.len() > 30, "{}", refused.len());
        for text in refused {
            assert!(servers(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn a3_names_are_read_with_their_escapes() {
        let text =
            r#"{"version": 1, "servers": {"t\u00fc": {"tools": {"a\ud83d\ude00\n": {"inputSchema": {}}}}}}"#;
        assert_eq!(servers(text).unwrap()["tü"], ["a😀\n"]);
    }

    #[test]
    fn a3_the_deepest_file_has_127_levels() {
        let nested = |levels: usize| {
            let lists = "[".repeat(levels) + &"]".repeat(levels);
            servers(&format!(
                r#"{{"version": 1, "servers": {{"a": {{"tools": {{"b": {{"inputSchema": {{"x": {lists}}}}}}}}}}}}}"#
            ))
        };
        assert!(nested(121).is_ok());
        assert!(nested(122).unwrap_err().contains("it nests too deeply"));
        assert!(nested(1_000_000).is_err());
    }

    #[test]
    fn a3_a_changed_file_is_read_again_and_a_hostile_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let read = || with_folder(folder.path(), of_package);
        assert_eq!(read(), None);
        fs::write(&path, r#"{"version": 1, "servers": {}}"#).unwrap();
        assert!(read().unwrap().unwrap().servers.is_empty());
        fs::write(&path, r#"{"version": 1, "servers": {"a": {"tools": {}}}}"#).unwrap();
        assert_eq!(read().unwrap().unwrap().servers.len(), 1);
        fs::write(&path, "{\n  \"version\": 1,\n  \"servers\": 2\n}").unwrap();
        assert_eq!(
            read().unwrap().unwrap_err(),
            "onionskin-mcp.lock.json:3:14: `servers` is an object; run `onionskin mcp lock` to write the file anew"
        );
        fs::write(&path, r#"{"version": 12, "tools": []}"#).unwrap();
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
        fn a3_no_text_is_a_panic(text in r#"([\[\]{},:"\\0-9eE.+\-tfn u]|true|null|"[a-z\\]*"|.){0,60}"#) {
            let _ = servers(&text);
        }

        #[test]
        fn a3_no_beginning_is_a_panic(cut in 0_usize..100, inserted in ".{0,3}") {
            let text = r#"{"version": 1, "servers": {"t\u00fc": {"tools": {"a\ud83d\ude00\n": {"inputSchema": {"x": [1e3]}}}}}}"#;
            let at = text.floor_char_boundary(cut);
            prop_assert!(servers(&text[..at]).is_err());
            let _ = servers(&format!("{}{inserted}{}", &text[..at], &text[at..]));
        }
    }
}
