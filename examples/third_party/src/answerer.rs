//! [`LetterBox`] answers questions with answers that were written beforehand.

use std::sync::{Mutex, PoisonError};

use onionskin_core::question::{Answer, Answerer, Question, QuestionKind};

/// A letter box: answers that were written beforehand, each for one question of a tool. What it has no answer for stays open, and is kept to be shown.
#[derive(Debug, Default)]
pub struct LetterBox {
    answers: Mutex<Vec<(String, Answer)>>,
    open: Mutex<Vec<Question>>,
}

impl LetterBox {
    /// Puts in an answer for the next question of this tool.
    pub fn put(&self, tool: &str, answer: impl Into<Answer>) {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push((tool.to_owned(), answer.into()));
    }

    /// The questions without an answer, in words.
    pub fn open(&self) -> Vec<String> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let words = |question: &Question| match question.kind() {
            QuestionKind::Approval => {
                format!("may {} run with {}?", question.tool_name(), question.arguments())
            }
            _ => question.text().unwrap_or_default().to_owned(),
        };
        open.iter().map(words).collect()
    }
}

impl Answerer for LetterBox {
    async fn answer(&self, question: Question) -> Option<Answer> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |(tool, answer): &(String, Answer)| {
            tool == question.tool_name() && question.check(answer).is_ok()
        };
        if let Some(at) = answers.iter().position(fits) {
            return Some(answers.remove(at).1);
        }
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push(question);
        None
    }
}
