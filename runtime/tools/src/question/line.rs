//! A question as a line of text.

use super::{Question, QuestionKind};
use onionskin_definitions::text::{folded, folded_json};

/// The characters of each part of a question: arguments, text, component. The whole fits into the window of a terminal.
pub(super) const PART: usize = 600;
/// The characters of a name.
const NAME: usize = 100;

/// Questions where people read and write lines: at a terminal, in a chat.
impl Question {
    /// The question in words, as one line for a list: who asks, the tool, its arguments with secrets masked, and the text of the question. Its
    /// parts come from models and tools: characters that are not seen are written out, and long runs of blanks and long texts are folded, with
    /// their length (`text::folded`). A person who decides sees all of it in a [`dialogue`](Self::dialogue).
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

    /// The line with so many characters of a name, and of each other part.
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
