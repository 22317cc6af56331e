//! The entry for the `.mcp.json` of a client.

use std::env;

use onionskin_serve::Listening;
use serde_json::{Value, json};

use crate::working_folder;

/// The entry of an address. `host` is the name by which other machines reach it, and `variable` has the token.
pub(super) fn http(listening: &Listening, host: Option<&String>, variable: Option<&str>) -> Value {
    let mut entry = json!({ "type": "http", "url": address(listening.url(), listening, host) });
    if let Some(variable) = variable {
        entry["headers"] = json!({ "Authorization": format!("Bearer ${{{variable}}}") });
    }
    entry
}

/// An address of the server by the name that it answers.
pub(super) fn address(url: String, listening: &Listening, host: Option<&String>) -> String {
    let address = listening.address();
    let Some(host) = host else { return url };
    let host = if host.contains(':') { host.clone() } else { format!("{host}:{}", address.port()) };
    url.replacen(&address.to_string(), &host, 1)
}

/// The entry of this command. A client starts it in a folder of its own, so it names the folder that the command works in.
pub(super) fn command() -> Value {
    let text = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
    let named = env::args_os().next().map(text).unwrap_or_default();
    let command = env::current_exe().map_or(named, |program| text(program.into()));
    let folder = env::current_dir().map(|folder| [working_folder::OPTION.to_owned(), text(folder.into())]);
    let words = folder.into_iter().flatten().chain(working_folder::words().into_iter().map(text));
    json!({ "command": command, "args": words.collect::<Vec<_>>() })
}

/// The file's text.
pub(super) fn snippet(name: &str, entry: &Value) -> String {
    serde_json::to_string_pretty(&json!({ "mcpServers": { (name): entry } })).unwrap_or_default()
}
