//! The entry for the `.mcp.json` of a client.

use std::env;
use std::path::{Path, PathBuf};

use onionskin_serve::Listening;
use serde_json::{Value, json};

use crate::agents::AgentArguments;
use crate::loaded::is_address;
use crate::mcp::CONFIG;
use crate::program::Program;
use crate::settings::SCRIPT;

/// The entry of an address. `host` is the name by which other machines reach it, and `variable` has the token.
pub(super) fn http(listening: &Listening, host: Option<&String>, variable: Option<&str>) -> Value {
    let (url, address) = (listening.url(), listening.address());
    let at = |host: &str| url.replacen(&address.to_string(), &format!("{host}:{}", address.port()), 1);
    let url = match host {
        Some(host) => at(host),
        // All addresses of the machine; only its own names are accepted.
        None if address.ip().is_unspecified() => at("localhost"),
        None => url,
    };
    let mut entry = json!({ "type": "http", "url": url });
    if let Some(variable) = variable {
        entry["headers"] = json!({ "Authorization": format!("Bearer ${{{variable}}}") });
    }
    entry
}

/// The entry of this command. A client starts it in a folder of its own, so paths are absolute, that of skills too.
pub(super) fn command(program: &Program, agents: &AgentArguments, skills: Option<&PathBuf>) -> Value {
    let paths: Vec<_> = agents.paths().chain(skills).collect();
    let mut words = env::args_os().map(|word| word.to_string_lossy().into_owned());
    let named = words.next().unwrap_or_default();
    let command = env::current_exe().map_or(named, |program| program.to_string_lossy().into_owned());
    let mut words: Vec<_> = words.map(|word| absolute(&word, &paths)).collect();
    // The folder of cards that is used without an option.
    let is_named = |path: &Path| words.iter().any(|word| word.ends_with(&*path.to_string_lossy()));
    let unnamed: Vec<_> = agents.cards.iter().map(|card| full(card)).filter(|card| !is_named(card)).collect();
    words.extend(unnamed.iter().map(|card| format!("--card={}", card.to_string_lossy())));
    // The servers of the settings or of the working directory, which are used without an option.
    let config = program.settings.config(None).map_or_else(|| PathBuf::from(CONFIG), |config| config.value);
    let config = Some(full(&config)).filter(|file| agents.config.is_none() && file.is_file());
    words.extend(config.map(|file| format!("--config={}", file.to_string_lossy())));
    json!({ "command": command, "args": words })
}

/// A word of the command with an absolute path, if it is one of the paths or names a script in place of a model.
fn absolute(word: &str, paths: &[&PathBuf]) -> String {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (Some(option), value),
        _ => (None, word),
    };
    let (prefix, path) = match value.strip_prefix(SCRIPT) {
        Some(script) => (SCRIPT, script),
        None if paths.iter().any(|path| path.as_os_str() == value) => ("", value),
        None => return word.to_owned(),
    };
    let value = format!("{prefix}{}", full(Path::new(path)).to_string_lossy());
    option.map_or_else(|| value.clone(), |option| format!("{option}={value}"))
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
