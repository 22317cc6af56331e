//! Questions of a run as lines, and the person who answers them at a terminal.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Args;
use onionskin_core::CancellationToken;
use onionskin_core::approval::Approval;
use onionskin_core::question::{Answer, AnswerError, Answerer, Dialogue, Paused, Question, QuestionKind};
use onionskin_core::text::{folded, folded_json, visible};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::lines::{self, ReadLine};
use crate::output;
use crate::text;
use crate::typeahead::set_aside;

/// The tool whose arguments are its question.
const HUMAN: &str = "human.input";

/// The characters of a question in words. It fits into the window of a terminal.
const QUESTION: usize = 1_200;

/// The characters of a call that waits for an answer.
const CALL: usize = 300;

/// The most choices that have a number.
const MOST_CHOICES: usize = 30;

/// A question as one line. That of `human.input` is without its arguments, which are the question and its choices.
pub(crate) fn line(question: &Question) -> String {
    let Some(text) = question.text().filter(|_| is_human(question)) else { return question.to_line() };
    let mut line = format!("{}: {text}", question.agents().join(" > "));
    let choices = choices(question);
    if !choices.is_empty() {
        line.push_str(&format!(" ({})", choices.join(" | ")));
    }
    folded(&line, QUESTION)
}

/// The open questions of a run, each as an indented line that says what is asked.
pub(crate) fn open(paused: &Paused) -> String {
    paused.questions().iter().map(open_question).collect::<Vec<_>>().join("\n")
}

fn open_question(question: &Question) -> String {
    if is_human(question) {
        return format!("  {}", line(question));
    }
    let asks = match question.kind() {
        QuestionKind::Approval => {
            question.text().map_or_else(|| "may this call run?".to_owned(), text::first_line)
        }
        QuestionKind::External => "the call runs outside of the program".to_owned(),
        QuestionKind::Caller(request) => {
            format!("it needs `{}` of an MCP client", text::first_line(request.method()))
        }
        QuestionKind::Question | QuestionKind::Component(_) => {
            question.text().map_or_else(|| "asks".to_owned(), text::first_line)
        }
    };
    let call =
        format!("{} {}", text::first_line(question.tool_name()), folded_json(question.arguments(), CALL));
    format!("  {}: {call}: {asks}", text::first_line(&question.agents().join(" > ")))
}

/// Whether calls are allowed without a question.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct YesArgument {
    /// Allow each call that needs approval, without a question.
    ///
    /// Calls need it that `approval` of a card or a tool names, and commands and changes of files (`shell.execute`, `filesystem.write`,
    /// `filesystem.edit`) that `approval` of their card does not name. `approval: []` asks for nothing. `list` shows what needs it.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// The values that answer a question, as a person writes them; none if others do too.
fn choices(question: &Question) -> Vec<String> {
    let choices = question.answer_schema().get("enum").and_then(Value::as_array);
    let text = |choice: &Value| choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
    choices.map(|choices| choices.iter().map(text).collect()).unwrap_or_default()
}

/// A question that is asked at a terminal. Its choices have numbers.
pub(crate) struct Asking<'q> {
    question: &'q Question,
    dialogue: Dialogue<'q>,
    /// Those with a number; none if a number could be a choice itself.
    choices: Vec<String>,
}

impl<'q> Asking<'q> {
    pub(crate) fn new(question: &'q Question) -> Self {
        let mut choices = choices(question);
        if *question.kind() == QuestionKind::Approval
            || choices.len() > MOST_CHOICES
            || choices.iter().any(|choice| choice.trim().parse::<f64>().is_ok())
        {
            choices.clear();
        }
        Self { question, dialogue: question.dialogue(), choices }
    }

    /// The question, and below it a line for each choice.
    pub(crate) fn text(&self) -> String {
        let mut text = match self.question.text().filter(|_| is_human(self.question)) {
            Some(text) if !self.choices.is_empty() => {
                folded(&format!("{}: {text}", self.question.agents().join(" > ")), QUESTION)
            }
            _ => line(self.question),
        };
        for (at, choice) in self.choices.iter().enumerate() {
            text.push_str(&format!("\n  {} {}", at + 1, folded(choice, QUESTION)));
        }
        text
    }

    pub(crate) fn prompt(&self) -> String {
        match self.choices.len() {
            0 => format!("{}> ", self.dialogue.hint()),
            1 => "1, or nothing to decline> ".to_owned(),
            count => format!("1 to {count}, or nothing to decline> "),
        }
    }

    /// The choices that an editor can show as they are.
    pub(crate) fn editable_choices(&self) -> Vec<String> {
        let is_plain = |choice: &&String| !choice.contains('\n') && visible(choice) == choice.as_str();
        self.choices.iter().filter(is_plain).cloned().collect()
    }

    /// Reads an answer. It is none if the person wants to read more of the question: see [`Self::more`].
    pub(crate) fn read(&mut self, line: &str) -> Result<Option<Answer>, AnswerError> {
        let number = line.trim().parse().ok().and_then(|number: usize| number.checked_sub(1));
        let choice = number.and_then(|at| self.choices.get(at));
        self.dialogue.read(choice.map_or(line, String::as_str))
    }

    /// More of the question.
    pub(crate) fn more(&self) -> &str {
        self.dialogue.line()
    }
}

fn is_human(question: &Question) -> bool {
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

/// How many questions of a run are open.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenQuestions(Arc<AtomicUsize>);

impl OpenQuestions {
    pub(crate) fn is_any(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    /// A question is open until the result is dropped.
    pub(crate) fn begin(&self) -> OpenQuestion {
        self.0.fetch_add(1, Ordering::SeqCst);
        OpenQuestion(self.clone())
    }
}

/// One that is open.
pub(crate) struct OpenQuestion(OpenQuestions);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The person at the terminal of standard input and standard error.
pub(crate) struct Person {
    /// Whether each call is allowed without a question.
    allows: bool,
    /// Whether there is a terminal to ask at.
    is_there: bool,
    /// When the person leaves, and answers nothing more.
    leaves: CancellationToken,
    open: OpenQuestions,
    /// One question at a time. Each waits until the events before it are shown.
    asks: Mutex<mpsc::UnboundedSender<oneshot::Sender<()>>>,
}

/// What waits until the events of the run are shown. The one who shows them drops what it gets when no event is left.
pub(crate) type Waiting = mpsc::UnboundedReceiver<oneshot::Sender<()>>;

impl Person {
    pub(crate) fn new(
        is_there: bool,
        yes: YesArgument,
        leaves: CancellationToken,
        open: OpenQuestions,
    ) -> (Self, Waiting) {
        let (asks, waiting) = mpsc::unbounded_channel();
        (Self { allows: yes.yes, is_there, leaves, open, asks: Mutex::new(asks) }, waiting)
    }
}

impl Answerer for Person {
    async fn answer(&self, question: Question) -> Option<Answer> {
        if self.allows && *question.kind() == QuestionKind::Approval {
            return Some(Answer::Approval(Approval::Allow));
        }
        if !self.is_there {
            return None;
        }
        let _open = self.open.begin();
        let asks = self.asks.lock().await;
        let (waits, shown) = oneshot::channel();
        // If nobody shows events, none is to be waited for.
        let _ = asks.send(waits);
        let _ = shown.await;
        drop_typed();
        let mut asking = Asking::new(&question);
        output::aside(&asking.text());
        loop {
            // A terminal that is gone gives no line either.
            let _ = write!(io::stderr(), "{}", asking.prompt());
            let line = tokio::select! {
                biased;
                () = self.leaves.cancelled() => ReadLine::End,
                line = next_line() => line,
            };
            match line {
                ReadLine::Line(line) => match asking.read(&line) {
                    Ok(Some(answer)) => return Some(answer),
                    Ok(None) => {
                        drop_typed();
                        output::aside(asking.more());
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

/// Asks at the terminal, and gives the line; none without one.
pub(crate) async fn ask(prompt: &str) -> Option<String> {
    drop_typed();
    let _ = write!(io::stderr(), "{prompt}");
    match next_line().await {
        ReadLine::Line(line) => Some(line),
        ReadLine::Refused(_) | ReadLine::Interrupted | ReadLine::End | ReadLine::Failed(_) => None,
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
        assert_eq!(Asking::new(&colours).text(), "agent: Which\\n\\u{1b}colour?\n  1 red\n  2 blue");
        let pays = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 5 }));
        assert_eq!(line(&pays), "agent: pay {\"cents\":5}");
        let wrong = colours.dialogue().read("green").unwrap_err();
        assert!(problem(&wrong).starts_with("this does not fit: expected one of "), "{}", problem(&wrong));
        assert_eq!(Asking::new(&pays).prompt(), "y, a (always with these arguments), n [reason]> ");
        assert_eq!(problem(&pays.dialogue().read("perhaps").unwrap_err()), "write y, a or n");
    }

    #[test]
    fn o1_a_number_is_the_choice_at_its_place_unless_it_is_one_itself() {
        let colours = human(json!({ "enum": ["red", "blue\u{1b}[2J"] }));
        let mut asking = Asking::new(&colours);
        assert_eq!(
            (asking.prompt().as_str(), asking.editable_choices()),
            ("1 to 2, or nothing to decline> ", vec!["red".to_owned()])
        );
        assert_eq!(asking.read(" 1 ").unwrap(), Some(Answer::value("red").unwrap()));
        assert_eq!(asking.read("red").unwrap(), Some(Answer::value("red").unwrap()));
        assert!(asking.read("0").is_err() && asking.read("3").is_err());
        assert!(asking.text().ends_with("\n  2 blue\\u{1b}[2J"), "{}", asking.text());

        let floors = human(json!({ "enum": [2, 1] }));
        let mut asking = Asking::new(&floors);
        assert_eq!(asking.text(), "agent: Which\\n\\u{1b}colour? (2 | 1)");
        assert_eq!(asking.read("1").unwrap(), Some(Answer::value(1).unwrap()));
    }
}
