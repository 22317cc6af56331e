//! Collects the problems and shows them.

use std::path::Path;

use onionskin_cards::CardError;
use onionskin_loader::LoadError;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output;
use crate::text;

/// All problems, as people and as programs read them.
#[derive(Default)]
pub(super) struct Report {
    drawn: Vec<String>,
    listed: Vec<Value>,
    warnings: Vec<String>,
    problems: usize,
}

impl Report {
    pub(super) fn problems(&self) -> usize {
        self.problems
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems == 0 && self.warnings.is_empty()
    }

    /// The mistakes of a file, drawn with its lines.
    pub(super) fn add(&mut self, error: &CardError) {
        self.drawn.push(error.to_string());
        for (problem, line) in error.problems().iter().zip(error.lines()) {
            let place = line.strip_suffix(&problem.message).unwrap_or_default();
            self.list("error", place, &problem.message);
            self.problems += 1;
        }
    }

    /// The mistakes of cards.
    pub(super) fn add_cards(&mut self, error: &LoadError) {
        self.drawn.push(error.to_string());
        for mistake in error.mistakes() {
            self.list(
                "error",
                &format!("{}:{}:{}:", mistake.file, mistake.line, mistake.column),
                &mistake.message,
            );
            self.problems += 1;
        }
    }

    /// A mistake of a path as a whole.
    pub(super) fn add_at(&mut self, path: &Path, message: &str) {
        self.add_line(&format!("{}: {message}", path.display()));
    }

    /// A mistake whose words begin with their place, if they have one. The lines of the file are not shown: they can hold keys.
    pub(super) fn add_line(&mut self, line: &str) {
        self.drawn.push(format!("error: {line}"));
        let (place, message) = divided(line);
        self.list("error", place, message);
        self.problems += 1;
    }

    /// A warning: the text is valid, but the user perhaps meant another one.
    pub(super) fn warn(&mut self, line: &str) {
        let (place, message) = divided(line);
        self.list("warning", place, message);
        self.warnings.push(line.to_owned());
    }

    /// `place` is `file:line:column:`, `file:`, or empty.
    fn list(&mut self, level: &str, place: &str, message: &str) {
        let mut fields = json!({ "level": level, "message": message });
        let place = place.trim_end().trim_end_matches(':');
        if let Some((file, line, column)) = numbers(place) {
            fields["file"] = file.into();
            fields["line"] = line.into();
            fields["column"] = column.into();
        } else if !place.is_empty() {
            fields["file"] = place.into();
        }
        self.listed.push(fields);
    }

    pub(super) fn show(&self, json: bool) -> Result<(), Failure> {
        if json {
            return output::json(&self.listed);
        }
        for warning in &self.warnings {
            output::warning(warning);
        }
        if self.drawn.is_empty() {
            return Ok(());
        }
        output::text(&format!("{}\n", text::plain(&self.drawn.join("\n\n"))))
    }
}

/// `file:line:column` as its parts.
fn numbers(place: &str) -> Option<(&str, usize, usize)> {
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

/// The place in front of a message, and the message.
fn divided(line: &str) -> (&str, &str) {
    match line.split_once(": ") {
        Some((place, message)) if !place.contains('`') => (place, message),
        _ => ("", line),
    }
}

#[cfg(test)]
mod tests {
    use super::{divided, numbers};

    #[test]
    fn o1_places_are_divided_from_messages() {
        assert_eq!(divided("a.json:1:2: `x`: wrong"), ("a.json:1:2", "`x`: wrong"));
        assert_eq!(divided("the server `a` failed: no"), ("", "the server `a` failed: no"));
        assert_eq!(numbers("C:/a.json:1:2"), Some(("C:/a.json", 1, 2)));
        assert_eq!(numbers("a.json"), None);
    }
}
