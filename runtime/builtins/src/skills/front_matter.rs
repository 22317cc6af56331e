//! The front matter of a `SKILL.md`: YAML between two lines `---`.

use onionskin_vocabulary::{FrontMatterMistake, front_matter};
use serde::Deserialize;
use serde_saphyr::{Error, Spanned};

/// The fields of it that are used. Other tools have fields of their own beside these.
#[derive(Debug, PartialEq)]
pub(super) struct FrontMatter {
    pub(super) name: Option<String>,
    pub(super) description: String,
}

/// A mistake, and its line and column.
#[derive(Debug, PartialEq)]
pub(super) struct Mistake {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) problem: String,
}

#[derive(Deserialize)]
struct Fields {
    name: Option<Spanned<String>>,
    description: Option<Spanned<String>>,
}

/// The most characters of a name.
const MAX_NAME: usize = 64;
const EXAMPLE: &str =
    "---\nname: plum-cake\ndescription: Bakes plum cakes. Use it for cakes with plums.\n---";

/// Reads the front matter of the text.
pub(super) fn read(text: &str) -> Result<FrontMatter, Mistake> {
    match front_matter(text) {
        Ok(parts) => fields(&text[parts.fields.clone()]).map_err(|mistake| Mistake {
            line: mistake.line + text[..parts.fields.start].matches('\n').count() as u64 - 1,
            ..mistake
        }),
        Err(FrontMatterMistake::Missing(_)) => {
            Err(at(1, 1, format!("front matter is missing: begin the file with\n{EXAMPLE}")))
        }
        Err(FrontMatterMistake::Unclosed(_)) => {
            Err(at(1, 1, "the front matter has no end: write a line `---` after its fields".to_owned()))
        }
    }
}

/// The fields of YAML that begins in the second line of the file.
fn fields(yaml: &str) -> Result<FrontMatter, Mistake> {
    // No fields at all are not a mapping.
    let fields = match serde_saphyr::from_str::<Option<Fields>>(yaml) {
        Ok(fields) => fields.unwrap_or(Fields { name: None, description: None }),
        Err(error) => return Err(mistake(&error)),
    };
    let name = match &fields.name {
        Some(name) => {
            let text = one_line(&name.value);
            let problem = match () {
                () if text.is_empty() => "`name` is empty: write the name of the skill's folder",
                () if text.chars().count() > MAX_NAME => "`name` has more than 64 characters: shorten it",
                () if text.contains(char::is_control) => {
                    "`name` contains control characters: use letters, digits and hyphens"
                }
                () => "",
            };
            if !problem.is_empty() {
                return Err(mistake_in(name, problem));
            }
            Some(text)
        }
        None => None,
    };
    let missing = "`description` is missing: say what the skill does, and when to use it";
    match &fields.description {
        None => Err(at(1, 1, missing.to_owned())),
        Some(description) => match one_line(&description.value) {
            text if text.is_empty() => Err(mistake_in(
                description,
                "`description` is empty: say what the skill does, and when to use it",
            )),
            description => Ok(FrontMatter { name, description }),
        },
    }
}

/// The text without line ends and other repeated spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn at(line: u64, column: u64, problem: String) -> Mistake {
    Mistake { line, column, problem }
}

/// A mistake in a value.
fn mistake_in<T>(value: &Spanned<T>, problem: &str) -> Mistake {
    at(value.referenced.line() + 1, value.referenced.column(), problem.to_owned())
}

fn mistake(error: &Error) -> Mistake {
    let error = error.without_snippet();
    let text = error.to_string();
    // Other tools have this advice too: the most frequent mistake in these files.
    let advice = "; put a text that contains `: ` or ` #` into quotes";
    let (line, column, text) = match error.location() {
        Some(place) => {
            let end = format!(" at line {}, column {}", place.line(), place.column());
            (place.line() + 1, place.column(), text.replace(&end, ""))
        }
        None => (1, 1, text),
    };
    at(line, column, format!("the front matter is wrong: {text}{advice}"))
}
