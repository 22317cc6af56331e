//! Files in a folder of cards that are no cards.

use std::path::Path;

use onionskin_vocabulary::agent::{CARD_TYPE, Field};
use onionskin_vocabulary::{FrontMatterMistake, front_matter, messages};

use crate::endings::{is_markdown, is_yaml};
use crate::source::Source;
use crate::yaml::{self, Value};

/// The names of Markdown that projects have beside cards, without their endings.
const DOCUMENTS: [&str; 8] =
    ["readme", "changelog", "contributing", "license", "security", "code_of_conduct", "agents", "claude"];

/// The fields of which each card has one.
const PROMPTS: [&str; 2] = ["instruction", "system_message"];

/// Why a file of a folder is not read as a card; none if it is one, or was perhaps meant to be one. A file that is named itself is always read.
pub fn skip_reason(path: &Path, source: &Source) -> Option<&'static str> {
    if is_markdown(path) {
        let stem = path.file_stem()?.to_string_lossy().to_lowercase();
        let has_fields = !matches!(front_matter(&source.text), Err(FrontMatterMistake::Missing(_)));
        return (DOCUMENTS.contains(&&*stem) && !has_fields)
            .then_some("it has the name of a document, and no front matter");
    }
    // What cannot be read as YAML is an error of its own.
    let value = is_yaml(path).then(|| yaml::parse(&source.text, 0)).and_then(Result::ok)??.value;
    let Value::Map(fields) = value else { return Some("it has no fields") };
    let is_prompt = |key: &str| {
        let meant = messages::unknown_field(key, &[]).1;
        PROMPTS.contains(&key) || meant.is_some_and(|meant| PROMPTS.contains(&meant))
    };
    let keys = || fields.iter().map(|(key, _)| &*key.value);
    (!keys().any(is_prompt) && !keys().all(is_field))
        .then_some("it has no instruction, and fields that cards do not have")
}

/// Whether a file has a field of a card, or was meant to have fields and cannot be read.
pub fn has_card_field(path: &Path, source: &Source) -> bool {
    let fields = match front_matter(&source.text) {
        _ if !is_markdown(path) => &*source.text,
        Ok(parts) => &source.text[parts.fields],
        Err(FrontMatterMistake::Missing(_)) => return false,
        Err(FrontMatterMistake::Unclosed(_)) => return true,
    };
    match yaml::parse(fields, 0).map(|value| value.map(|value| value.value)) {
        Ok(Some(Value::Map(fields))) => fields.iter().any(|(key, _)| is_field(&key.value)),
        Ok(_) => false,
        Err(_) => true,
    }
}

fn is_field(key: &str) -> bool {
    key == CARD_TYPE || Field::from_word(key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c1_other_files_of_a_folder_are_no_cards() {
        let reason = |path: &str, text: &str| skip_reason(Path::new(path), &Source::new(path, text));
        for (path, text) in [
            ("fast-agent.yaml", "default_model: haiku\nmcp: { servers: {} }\n"),
            ("docker-compose.yml", "name: x\nservices:\n  web:\n    image: y\n"),
            ("openapi.yaml", "openapi: 3.1.0\nservers: []\n"),
            ("script.yaml", "adder:\n  - say: Hello.\n"),
            ("list.yaml", "- a\n"),
            ("README.md", "# Agents\n"),
        ] {
            assert!(reason(path, text).is_some(), "{path}");
        }
        for (path, text) in [
            ("a.yaml", "instruction: A.\ncolour: red\n"),
            ("a.yaml", "instructon: A.\ncolour: red\n"),
            ("a.yaml", "prompt: A.\ncolour: red\n"),
            ("a.yaml", "description: A.\nservers: [time]\n"),
            ("a.yaml", ""),
            ("a.yaml", "a: [\n"),
            ("readme.md", "---\nname: readme\n---\nRead.\n"),
            ("notes.md", "Notes.\n"),
        ] {
            assert_eq!(reason(path, text), None, "{path} {text}");
        }
    }
}
