//! The entry for the `.mcp.json` of a client.

use std::env;
use std::path::{Path, PathBuf};

use onionskin_serve::Listening;
use serde_json::{Value, json};

use crate::agents::AgentArguments;
use crate::loaded::is_address;

/// The entry of an address. `host` is the name by which other machines reach it, and `variable` has the token.
pub(super) fn http(listening: &Listening, host: Option<&String>, variable: Option<&str>) -> Value {
    let (url, address) = (listening.url(), listening.address());
    let url = match host {
        Some(host) => url.replacen(&address.to_string(), &format!("{host}:{}", address.port()), 1),
        None => url,
    };
    let mut entry = json!({ "type": "http", "url": url });
    if let Some(variable) = variable {
        entry["headers"] = json!({ "Authorization": format!("Bearer ${{{variable}}}") });
    }
    entry
}

/// The entry of this command. A client starts it in a folder of its own, so paths are absolute.
pub(super) fn command(agents: &AgentArguments) -> Value {
    let paths: Vec<_> = agents.paths().collect();
    let mut words = env::args_os().map(|word| word.to_string_lossy().into_owned());
    let named = words.next().unwrap_or_default();
    let command = env::current_exe().map_or(named, |program| program.to_string_lossy().into_owned());
    let mut words: Vec<_> = words.map(|word| absolute(&word, &paths)).collect();
    // The folder of cards that is used without an option.
    let is_named = |path: &Path| words.iter().any(|word| word.ends_with(&*path.to_string_lossy()));
    let unnamed: Vec<_> = agents.cards.iter().map(|card| full(card)).filter(|card| !is_named(card)).collect();
    words.extend(unnamed.iter().map(|card| format!("--card={}", card.to_string_lossy())));
    json!({ "command": command, "args": words })
}

/// A word of the command with an absolute path, if it is one of the paths.
fn absolute(word: &str, paths: &[&PathBuf]) -> String {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (Some(option), value),
        _ => (None, word),
    };
    if !paths.iter().any(|path| path.as_os_str() == value) {
        return word.to_owned();
    }
    let value = full(Path::new(value));
    let value = value.to_string_lossy();
    option.map_or_else(|| value.clone().into_owned(), |option| format!("{option}={value}"))
}

fn full(path: &Path) -> PathBuf {
    if is_address(path) {
        return path.to_owned();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The file's text.
pub(super) fn snippet(name: &str, entry: &Value) -> String {
    serde_json::to_string_pretty(&json!({ "mcpServers": { (name): entry } })).unwrap_or_default()
}
