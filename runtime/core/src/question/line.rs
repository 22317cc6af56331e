//! A question as a line of text, and its answer from one.

use serde_json::Value;

use super::{Answer, AnswerError, Question, QuestionKind};
use crate::approval::{Always, Approval};
use crate::json::Unique;
use crate::schema;
use crate::text::{first_of, folded, folded_json};

/// The characters of each part of a question: arguments, text, component. The whole fits into the window of a terminal.
const PART: usize = 600;
/// The characters of a name.
const NAME: usize = 100;

/// Questions where people read and write lines: at a terminal, in a chat.
impl Question {
    /// The question in words, as one line: who asks, the tool, its arguments with secrets masked, and the text of the question. Its parts come
    /// from models and tools, so that nothing in them is hidden from the person who decides: characters that are not seen are written out,
    /// and long runs of blanks and long texts are folded, with their length ([`text::folded`](crate::text::folded)).
    ///
    /// ```
    /// use onionskin::question::{Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 5 }));
    /// assert_eq!(question.to_line(), r#"agent: pay {"cents":5}"#);
    /// assert_eq!(question.answer_hint(), "y, a (always), n [reason]");
    /// let question = Question::new(QuestionKind::Question, "order").with_answer_schema(json!({ "enum": ["red", "blue"] }));
    /// assert_eq!(question.answer_hint(), "one of \"red\", \"blue\", or nothing to decline");
    /// ```
    pub fn to_line(&self) -> String {
        let agents = folded(&self.agents().join(" > "), NAME);
        let tool = folded(self.tool_name(), NAME);
        let mut text = format!("{agents}: {tool} {}", folded_json(self.arguments(), PART));
        if let QuestionKind::Component(shown) = self.kind() {
            let component = folded(shown.component(), NAME);
            text.push_str(&format!(" shows {component} {}", folded_json(shown.payload(), PART)));
        }
        if let Some(asked) = self.text() {
            text.push_str(": ");
            text.push_str(&folded(asked, PART));
        }
        text
    }

    /// Which answers [`read_answer`](Self::read_answer) takes, in a few words: the type, and the choices if there are some.
    pub fn answer_hint(&self) -> String {
        match self.kind() {
            QuestionKind::Approval => "y, a (always), n [reason]".to_owned(),
            QuestionKind::Question | QuestionKind::External | QuestionKind::Component(_) => {
                folded(&format!("{}, or nothing to decline", answer_words(self.answer_schema())), PART)
            }
        }
    }

    /// Reads an answer from a line. An approval is answered with `y`, `a` (for these arguments, for the rest of the session) or `n`, with a
    /// reason if there is one: `n too much`. A value is written as JSON; a text needs no quotes. An empty line declines.
    ///
    /// ```
    /// use onionskin::question::{Answer, Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Approval, "pay");
    /// assert_eq!(question.read_answer("n too much").unwrap(), Answer::deny("too much"));
    /// // Neither yes nor no: ask again.
    /// assert!(question.read_answer("").is_err());
    ///
    /// let question = Question::new(QuestionKind::Question, "order").with_answer_schema(json!({ "type": "integer" }));
    /// assert_eq!(question.read_answer("41").unwrap(), Answer::value(41).unwrap());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the line is not an answer, or is one that does not fit the question. Its text may quote the line.
    pub fn read_answer(&self, line: &str) -> Result<Answer, AnswerError> {
        let line = line.trim();
        let answer = match self.kind() {
            QuestionKind::Approval => {
                let (word, reason) = line.split_once(' ').unwrap_or((line, ""));
                match (word.to_lowercase().as_str(), reason.trim()) {
                    ("y" | "yes", "") => Answer::allow(),
                    ("a" | "always", "") => Approval::AllowAlways(Always::Arguments).into(),
                    ("n" | "no", "") => Approval::Deny(None).into(),
                    ("n" | "no", reason) => Answer::deny(reason),
                    _ => return Err(AnswerError::NotYesOrNo),
                }
            }
            _ if line.is_empty() => Answer::Declined(None),
            _ => {
                let text = Answer::Value(Value::from(line));
                let parsed = serde_json::from_str(line).map(|Unique(value)| Answer::Value(value));
                // A text may look like JSON: `41` for a text is the text.
                match parsed {
                    _ if self.takes_text(line) && !line.starts_with('"') => text,
                    Ok(value) => value,
                    Err(_) => text,
                }
            }
        };
        self.fit(answer)
    }

    /// Whether the line is an answer as a text, without a conversion to another type.
    fn takes_text(&self, line: &str) -> bool {
        let schema = self.answer_schema();
        schema::check(&Value::from(line), schema, schema, "").is_empty()
    }
}

/// The answers that fit a schema, in words.
fn answer_words(schema: &Value) -> String {
    let Some(fields) = schema["properties"].as_object().filter(|_| schema["type"] == "object") else {
        return match &*schema::expected(schema) {
            "a value" => "an answer".to_owned(),
            "a string" => "a text".to_owned(),
            words => words.to_owned(),
        };
    };
    let fields = fields.iter().map(|(name, field)| format!("\"{name}\": {}", schema::expected(field)));
    format!("JSON: {{{}}}", first_of(fields, ", "))
}
