//! Questions as lines of text, and the answers that a person writes as lines.

use serde_json::Value;

use super::{Answer, AnswerError, Question, QuestionKind};
use crate::approval::{Always, Approval};
use onionskin_definitions::json::Unique;
use onionskin_definitions::schema;
use onionskin_definitions::text::{first_of, folded, folded_json};

/// The maximum number of characters of each part of a question (arguments, text, component). The whole line
/// fits into a terminal window.
const MAX_PART_CHARS: usize = 600;
/// The maximum number of characters of a name.
const MAX_NAME_CHARS: usize = 100;

/// A question to a person who reads and writes lines, at a terminal or in a chat. A person can only approve
/// what they have read: if the line truncates a call, they must show all of it with `s` first.
///
/// ```
/// use onionskin::question::{Answer, Question, QuestionKind};
/// use serde_json::json;
///
/// let question = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 5 }));
/// let mut dialogue = question.dialogue();
/// assert_eq!(dialogue.line(), r#"agent: pay {"cents":5}"#);
/// assert_eq!(dialogue.hint(), "y, a (always with these arguments), n [reason]");
/// // Neither yes nor no: ask again.
/// assert!(dialogue.read("").is_err());
/// assert_eq!(dialogue.read("n too much").unwrap(), Some(Answer::deny("too much")));
///
/// let question = Question::new(QuestionKind::Approval, "write").with_arguments(json!({ "text": "x".repeat(2_000) }));
/// let mut dialogue = question.dialogue();
/// assert_eq!(dialogue.hint(), "s (show all), n [reason]");
/// assert!(dialogue.read("y").is_err());
/// // Show the line again, which is whole now.
/// assert_eq!(dialogue.read("s").unwrap(), None);
/// assert!(dialogue.line().contains(&"x".repeat(2_000)));
/// assert_eq!(dialogue.read("y").unwrap(), Some(Answer::allow()));
/// ```
#[derive(Debug)]
pub struct Dialogue<'q> {
    question: &'q Question,
    line: String,
    /// The full question, while the line is truncated.
    unread: Option<String>,
}

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
        self.line(MAX_NAME_CHARS, MAX_PART_CHARS)
    }

    /// The line, with at most this many characters of each name and each other part.
    fn line(&self, name: usize, part: usize) -> String {
        let agents = folded(&self.agents().join(" > "), name);
        let tool = folded(self.tool_name(), name);
        let mut text = format!("{agents}: {tool} {}", folded_json(self.arguments(), part));
        match self.kind() {
            QuestionKind::Component(shown) => {
                let component = folded(shown.component(), name);
                text.push_str(&format!(" shows {component} {}", folded_json(shown.payload(), part)));
            }
            QuestionKind::Caller(request) => {
                let method = folded(request.method(), name);
                text.push_str(&format!(" requests {method} {}", folded_json(request.params(), part)));
            }
            QuestionKind::Approval | QuestionKind::Question | QuestionKind::External => {}
        }
        if let Some(question_text) = self.text() {
            text.push_str(": ");
            text.push_str(&folded(question_text, part));
        }
        text
    }

    /// Starts a dialogue with a person who reads and writes lines.
    pub fn dialogue(&self) -> Dialogue<'_> {
        let line = self.to_line();
        let whole = match self.kind() {
            QuestionKind::Approval => Some(self.line(usize::MAX, usize::MAX)),
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => None,
        };
        let unread = whole.filter(|whole| *whole != line);
        Dialogue { question: self, line, unread }
    }
}

impl Dialogue<'_> {
    /// The question as one line: first [`Question::to_line`], and the full question after the person entered
    /// `s`.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// A short description of the answers that [`read`](Self::read) accepts: the words of an approval, or the
    /// type and the choices of a value.
    ///
    /// ```
    /// use onionskin::question::{Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Question, "order").with_answer_schema(json!({ "enum": ["red", "blue"] }));
    /// assert_eq!(question.dialogue().hint(), "one of \"red\", \"blue\", or nothing to decline");
    /// ```
    pub fn hint(&self) -> String {
        match self.question.kind() {
            QuestionKind::Approval if self.unread.is_some() => "s (show all), n [reason]".to_owned(),
            QuestionKind::Approval => "y, a (always with these arguments), n [reason]".to_owned(),
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => {
                let words = answer_words(self.question.answer_schema());
                folded(&format!("{words}, or nothing to decline"), MAX_PART_CHARS)
            }
        }
    }

    /// Parses an answer. An approval is answered with `y`, `a` (allow these arguments for the rest of the
    /// session) or `n`, with an optional reason: `n too much`. A value is written as JSON; a string needs no
    /// quotes. An empty line declines.
    ///
    /// Returns `None` if the person entered `s`. Then [`line`](Self::line) returns the full question: show
    /// it, and ask again.
    ///
    /// ```
    /// use onionskin::question::{Answer, Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Question, "order").with_answer_schema(json!({ "type": "integer" }));
    /// assert_eq!(question.dialogue().read("41").unwrap(), Some(Answer::value(41).unwrap()));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the line is not an answer, if the answer does not fit the question, or if it
    /// approves a truncated call. The error's text may quote the line.
    pub fn read(&mut self, line: &str) -> Result<Option<Answer>, AnswerError> {
        let line = line.trim();
        let answer = match self.question.kind() {
            QuestionKind::Approval => {
                let (word, reason) = line.split_once(' ').unwrap_or((line, ""));
                match (word.to_lowercase().as_str(), reason.trim()) {
                    ("n" | "no", "") => Approval::Deny(None).into(),
                    ("n" | "no", reason) => Answer::deny(reason),
                    ("s" | "show", "") if let Some(whole) = self.unread.take() => {
                        self.line = whole;
                        return Ok(None);
                    }
                    _ if self.unread.is_some() => return Err(AnswerError::NotSeen),
                    ("y" | "yes", "") => Answer::allow(),
                    ("a" | "always", "") => Approval::AllowAlways(Always::Arguments).into(),
                    _ => return Err(AnswerError::NotYesOrNo),
                }
            }
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => self.value(line),
        };
        self.question.fit(answer).map(Some)
    }

    /// Parses a line as a value.
    fn value(&self, line: &str) -> Answer {
        if line.is_empty() {
            return Answer::Declined(None);
        }
        let text = Value::from(line);
        // A string may look like JSON: `41` is a string if the schema wants one.
        let schema = self.question.answer_schema();
        if !line.starts_with('"') && schema::check(&text, schema, schema, "").is_empty() {
            return Answer::Value(text);
        }
        Answer::Value(serde_json::from_str(line).map_or(text, |Unique(value)| value))
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
