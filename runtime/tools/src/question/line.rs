//! A question as a line of text.

use super::{Question, QuestionKind};
use onionskin_definitions::text::{folded, folded_json};

/// The maximum number of characters of each part of a question (arguments, text, component). The whole line
/// fits into a terminal window.
pub(super) const PART: usize = 600;
/// The maximum number of characters of a name.
const NAME: usize = 100;

/// Questions as lines, for terminals and chats.
impl Question {
    /// The question as one line: the agents, the tool, its arguments with secrets masked, and the text of the
    /// question. The parts come from models and tools, so invisible characters are escaped, and long texts
    /// and long runs of whitespace are shortened, with their length (`text::folded`). A
    /// [`dialogue`](Self::dialogue) can show the full question.
    ///
    /// ```
    /// use onionskin::question::{Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 5 }));
    /// assert_eq!(question.to_line(), r#"agent: pay {"cents":5}"#);
    /// ```
    pub fn to_line(&self) -> String {
        self.line(NAME, PART)
    }

    /// The line, with at most this many characters of each name and each other part.
    pub(super) fn line(&self, name: usize, part: usize) -> String {
        let agents = folded(&self.agents().join(" > "), name);
        let tool = folded(self.tool_name(), name);
        let mut text = format!("{agents}: {tool} {}", folded_json(self.arguments(), part));
        if let QuestionKind::Component(shown) = self.kind() {
            let component = folded(shown.component(), name);
            text.push_str(&format!(" shows {component} {}", folded_json(shown.payload(), part)));
        }
        if let Some(asked) = self.text() {
            text.push_str(": ");
            text.push_str(&folded(asked, part));
        }
        text
    }
}
