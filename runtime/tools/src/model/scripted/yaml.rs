//! Scripts from YAML files.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use serde_saphyr::Error;

use super::{ScriptedModel, ScriptedModelError, ScriptedTurn};
use onionskin_definitions::text::nearest;

/// The maximum size of a file.
const MAX_FILE_BYTES: u64 = 8 << 20;

// Rustdoc shows a feature only at the items that have the attribute.
#[cfg(feature = "yaml")]
impl ScriptedModel {
    /// Reads a script from a YAML file; see [`ScriptedModel::from_yaml`] for the format. Feature `yaml`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a file, or has more than 8 MiB, or as
    /// [`ScriptedModel::from_yaml`].
    pub fn from_yaml_file(path: impl AsRef<Path>) -> Result<Self, ScriptedModelError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match read(path) {
            Ok(text) => Self::from_yaml(&text, &file),
            Err(reason) => Err(ScriptedModelError::File { file, reason }),
        }
    }

    /// Reads a script from YAML text: a map from agents' names (`"*"` for all others) to lists of turns,
    /// which have the fields of [`ScriptedTurn`]. Errors show `file_name`. Feature `yaml`.
    ///
    /// ```
    /// let script = onionskin::ScriptedModel::from_yaml(r#"
    /// adder:
    ///   - say: Let me see.
    ///     calls:
    ///       - tool: add_one
    ///         args: {x: 3}
    ///   - say: It is {last}.
    ///     wait_ms: 20
    ///     usage: {input_tokens: 120, output_tokens: 8}
    /// "*":
    ///   - fail: 503
    /// "#, "adder.yaml").unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns an error with file, line and column if the text is not YAML, if a field is unknown (with the
    /// most similar known name), duplicate or of another type, or if a turn both fails and answers.
    pub fn from_yaml(text: &str, file_name: &str) -> Result<Self, ScriptedModelError> {
        let agents: HashMap<String, Vec<Spanned>> =
            serde_saphyr::from_str(text).map_err(|error| located(&error, file_name))?;
        let mut script = Self::new();
        for (agent, turns) in agents {
            let turns = turns.into_iter().map(|turn| checked(turn, file_name));
            let turns = turns.collect::<Result<Vec<_>, _>>()?;
            script = script.agent(agent, turns);
        }
        Ok(script)
    }
}

type Spanned = serde_saphyr::Spanned<ScriptedTurn>;

fn checked(turn: Spanned, file: &str) -> Result<ScriptedTurn, ScriptedModelError> {
    let place = turn.referenced;
    let turn = turn.value;
    let reason = match turn.fail {
        Some(status) if !(400..600).contains(&status) => {
            format!("`fail: {status}` is not an HTTP error status; these are 400 to 599")
        }
        Some(_) if !turn.say.is_empty() || !turn.calls.is_empty() || turn.usage.is_some() => {
            "a turn with `fail` has no answer: remove its `say`, `calls` and `usage`".to_owned()
        }
        _ => return Ok(turn),
    };
    Err(ScriptedModelError::Content {
        file: file.to_owned(),
        line: place.line(),
        column: place.column(),
        reason,
    })
}

fn located(error: &Error, file: &str) -> ScriptedModelError {
    let error = error.without_snippet();
    let reason = match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            let near = nearest(field, expected.iter().copied());
            let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            let known: Vec<_> = expected.iter().map(|name| format!("`{name}`")).collect();
            format!("unknown field `{field}`.{near} There are: {}", known.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("the field `{field}` is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` is given twice"),
        Error::InvalidScalar { ty, .. } => format!("expected a value of the type {ty}"),
        error => plain(error),
    };
    match error.location() {
        Some(place) => ScriptedModelError::Content {
            file: file.to_owned(),
            line: place.line(),
            column: place.column(),
            reason,
        },
        None => ScriptedModelError::File { file: file.to_owned(), reason },
    }
}

/// The error's message without the position, which the caller prints first.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    let end = error
        .location()
        .and_then(|place| text.rfind(&format!(" at line {}, column {}", place.line(), place.column())));
    text[..end.unwrap_or(text.len())].to_owned()
}
/// Reads a file, or returns the reason why it cannot be read.
fn read(path: &Path) -> Result<String, String> {
    let unread = |error: std::io::Error| error.to_string();
    // A pipe or a device may never end, and opening it may block forever.
    if !std::fs::metadata(path).map_err(unread)?.is_file() {
        return Err("this is not a file".to_owned());
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unread)?;
    file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("the file has more than {} MiB", MAX_FILE_BYTES >> 20));
    }
    Ok(text)
}
