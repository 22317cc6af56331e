//! Questions of a run as lines, and the person who answers them at a terminal.

use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use onionskin_core::question::{Answer, AnswerError, Answerer, Question, QuestionKind};
use onionskin_core::text::folded;
use serde_json::Value;
use tokio::sync::{Mutex, oneshot};

use crate::lines::{self, ReadLine};
use crate::output;
use crate::typeahead::set_aside;

/// The tool whose arguments are its question.
const HUMAN: &str = "human.input";

/// The characters of a question in words. It fits into the window of a terminal.
const QUESTION: usize = 1_200;

/// How long a question waits for the text before it.
const SHOWN: Duration = Duration::from_millis(50);

/// A question as one line. That of `human.input` is without its arguments, which are the question and its choices.
pub(crate) fn line(question: &Question) -> String {
    let Some(text) = question.text().filter(|_| is_human(question)) else { return question.to_line() };
    let mut line = format!("{}: {text}", question.agents().join(" > "));
    if let Some(Value::Array(choices)) = question.answer_schema().get("enum") {
        let choices =
            choices.iter().map(|choice| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned));
        line.push_str(&format!(" ({})", choices.collect::<Vec<_>>().join(" | ")));
    }
    folded(&line, QUESTION)
}

pub(crate) fn is_human(question: &Question) -> bool {
    question.tool_name() == HUMAN && *question.kind() == QuestionKind::Question
}

/// Why a line is not an answer to the question that was just asked.
pub(crate) fn problem(error: &AnswerError) -> String {
    let words = if let AnswerError::Invalid { problems, .. } = error {
        format!("this does not fit: {problems}")
    } else {
        error.to_string()
    };
    folded(&words, QUESTION)
}

/// The person at the terminal of standard input and standard error, who answers a question after it is there.
#[derive(Default)]
pub(crate) struct Person {
    /// One question at a time.
    asks: Mutex<()>,
}

impl Answerer for Person {
    async fn answer(&self, question: Question) -> Option<Answer> {
        let _asks = self.asks.lock().await;
        // The text of the agent before the question may be on its way to the terminal still.
        tokio::time::sleep(SHOWN).await;
        drop_typed();
        output::aside(&line(&question));
        let mut dialogue = question.dialogue();
        loop {
            // A terminal that is gone gives no line either.
            let _ = write!(io::stderr(), "{}> ", dialogue.hint());
            match next_line().await {
                ReadLine::Line(line) => match dialogue.read(&line) {
                    Ok(Some(answer)) => return Some(answer),
                    Ok(None) => {
                        drop_typed();
                        output::aside(dialogue.line());
                    }
                    Err(error) => output::aside(&problem(&error)),
                },
                ReadLine::Refused(why) => output::aside(&why),
                ReadLine::End | ReadLine::Interrupted => {
                    output::aside("");
                    return None;
                }
                ReadLine::Failed(why) => {
                    output::aside(&format!("the terminal cannot be read, so the question stays open: {why}"));
                    return None;
                }
            }
        }
    }
}

/// What was typed before a question is no answer to it.
fn drop_typed() {
    if let Some(note) = set_aside() {
        output::note(&note);
    }
}

/// Reads on a thread of its own, because a read cannot be cancelled.
///
/// Not cancel safe: if the future is dropped, the next line is lost.
async fn next_line() -> ReadLine {
    let (sender, line) = oneshot::channel();
    let reads = thread::Builder::new().name("onionskin-terminal".to_owned()).spawn(move || {
        let _ = sender.send(lines::read(&mut io::stdin().lock()));
    });
    match reads {
        Ok(_) => line.await.unwrap_or(ReadLine::End),
        Err(error) => ReadLine::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn human(choices: Value) -> Question {
        Question::new(QuestionKind::Question, HUMAN)
            .with_arguments(json!({ "question": "Which colour?" }))
            .with_text("Which\n\u{1b}colour?")
            .with_answer_schema(choices)
    }

    #[test]
    fn o1_an_approval_shows_all_of_its_call() {
        let command = format!("ls{}; rm -rf /\u{e0041}{}", " ".repeat(20_000), "\n".repeat(20_000));
        let arguments = json!({ "command": command, "note": "x".repeat(50_000), "force": true });
        let shell = Question::new(QuestionKind::Approval, "shell.execute").with_arguments(arguments);
        let shown = line(&shell.with_text("why\u{202e}?"));
        for part in [
            "ls[20,000 blanks]; rm -rf /\\u{e0041}[20,000 blanks, 20,000 line ends]",
            " more characters]",
            "\"force\":true",
            "why\\u{202e}?",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(shown.chars().count() < 1_600 && !shown.contains('\n'), "{shown}");
    }

    #[test]
    fn o1_a_question_is_said_once() {
        let colours = human(json!({ "enum": ["red", "blue"] }));
        assert_eq!(line(&colours), "agent: Which\\n\\u{1b}colour? (red | blue)");
        assert_eq!(line(&human(json!({ "type": "string" }))), "agent: Which\\n\\u{1b}colour?");
        let pays = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 5 }));
        assert_eq!(line(&pays), "agent: pay {\"cents\":5}");
        let wrong = colours.dialogue().read("green").unwrap_err();
        assert!(problem(&wrong).starts_with("this does not fit: expected one of "), "{}", problem(&wrong));
        assert_eq!(problem(&pays.dialogue().read("perhaps").unwrap_err()), "write y, a or n");
    }
}
