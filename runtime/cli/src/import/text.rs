//! Texts of other programs.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use onionskin_cards::{LARGEST_FILE, read_file};

use super::source::Note;
use super::types::{PLACES, Place};

/// Stands for the names of an agent's children until they are known. No file has this character.
pub(super) const AGENTS: &str = "\u{0}";

/// What stands in place of the date of a run.
pub(super) const DATE: &str = "in the additional information below";

/// A text without the placeholders of fast-agent.
pub(super) struct Places {
    pub(super) text: String,
    pub(super) notes: Vec<Note>,
    /// Whether it shows the date of a run.
    pub(super) has_date: bool,
}

impl Places {
    /// Replaces the placeholders of a text that begins in this line. Others are text.
    pub(super) fn replace(text: &str, first_line: usize, name: &str) -> Self {
        let mut places = Self { text: String::new(), notes: Vec::new(), has_date: false };
        let mut rest = text;
        let mut line = first_line;
        while let Some(at) = rest.find("{{") {
            line += rest[..at].matches('\n').count();
            places.text.push_str(&rest[..at]);
            let behind = &rest[at..];
            let placeholder =
                behind.find("}}").map(|end| &behind[2..end]).filter(|inner| !inner.contains(['\n', '{']));
            let known = placeholder.and_then(|inner| {
                let word = inner.split(':').next().unwrap_or_default().trim();
                Some((inner, PLACES.iter().find(|(known, ..)| *known == word)?))
            });
            match known {
                Some((inner, (_, place, here))) => {
                    let here = places.put(*place, inner, name, here);
                    places
                        .notes
                        .push(Note::new(line, format!("`{{{{{}}}}}` is {here}", beginning(inner, 60))));
                    rest = &behind[inner.len() + 4..];
                }
                None => {
                    places.text.push_str("{{");
                    rest = &behind[2..];
                }
            }
        }
        places.text.push_str(rest);
        places
    }

    /// Writes what stands in place of a placeholder, and says what it is.
    fn put(&mut self, place: Place, inner: &str, name: &str, here: &str) -> String {
        match place {
            Place::Date => {
                self.has_date = true;
                self.text.push_str(DATE);
                return format!("{here}, and the text says where the date is");
            }
            Place::Name => self.text.push_str(name),
            Place::Agents => self.text.push_str(AGENTS),
            Place::File => {
                let path = inner.split_once(':').map_or("", |(_, path)| path.trim());
                // A card cannot be larger, and can name a file very often.
                let file = if self.text.len() < LARGEST_FILE { page(path) } else { None };
                let Some(text) = file else { return here.to_owned() };
                self.text.push_str(&text);
                return "the text of the file here".to_owned();
            }
            Place::Gone | Place::Left => return here.to_owned(),
        }
        format!("{here} here")
    }
}

/// The text of a Markdown file of the working directory, where paths of fast-agent begin. Other files can have secrets.
fn page(path: &str) -> Option<Arc<str>> {
    let folder = Path::new(".").canonicalize().ok()?;
    // A link can lead out of the folder.
    let file = folder.join(path).canonicalize().ok()?;
    let is_page = file.starts_with(folder) && file.extension() == Some(OsStr::new("md"));
    Some(read_file(&file, path).ok().filter(|_| is_page)?.text)
}

/// The beginning of a text, as one line.
pub(super) fn beginning(text: &str, most: usize) -> String {
    crate::text::line(text, most)
}
