//! Questions of a paused run, which the next prompts of its session answer.

use onionskin_core::AgentHandle;
use onionskin_core::question::{Answer, AnswerError, Paused, Question, QuestionKind};
use onionskin_core::run::RunRequest;

/// What declines to answer: clients send no empty prompt.
const DECLINE: &str = "/decline";

/// A run that waits, and the answers so far.
pub(crate) struct OpenQuestions {
    paused: Paused,
    answers: Vec<Answer>,
}

impl OpenQuestions {
    pub(crate) fn new(paused: Paused) -> Self {
        Self { paused, answers: Vec::new() }
    }

    /// The question that is next; `None` if all have an answer.
    fn current(&self) -> Option<&Question> {
        self.paused.questions().get(self.answers.len())
    }

    /// The next question as text, with how to answer it; `None` if all have an answer.
    pub(crate) fn text(&self) -> Option<String> {
        let question = self.current()?;
        let mut dialogue = question.dialogue();
        let decline = match question.kind() {
            QuestionKind::Approval => {
                // A chat has room for the whole call.
                let _ = dialogue.read("s");
                String::new()
            }
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => {
                format!(", by writing `{DECLINE}`")
            }
        };
        let (line, hint) = (dialogue.line(), dialogue.hint());
        // The line is one line, so no part of it ends the block.
        Some(format!("\n\n```text\n{line}\n```\n\nYour next message is the answer: {hint}{decline}.\n"))
    }

    /// Reads the answer to the next question.
    ///
    /// # Errors
    /// Returns an error if the text is no answer to it.
    pub(crate) fn read(&mut self, text: &str) -> Result<(), AnswerError> {
        let Some(question) = self.current() else { return Ok(()) };
        let mut dialogue = question.dialogue();
        if *question.kind() == QuestionKind::Approval {
            // All of it was shown.
            let _ = dialogue.read("s");
        }
        let line = if text.trim() == DECLINE { "" } else { text };
        if let Some(answer) = dialogue.read(line)? {
            self.answers.push(answer);
        }
        Ok(())
    }

    /// The request that continues the run with the answers.
    pub(crate) fn resume(self, agent: &AgentHandle) -> RunRequest {
        let questions = self.paused.questions().iter();
        questions.zip(self.answers).fold(agent.resume(&self.paused), |request, (question, answer)| {
            request.answer(question.key(), answer)
        })
    }
}
