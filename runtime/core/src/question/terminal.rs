//! Questions at a terminal.

use std::io::{self, BufRead, BufReader, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;
use tokio::sync::oneshot;

use super::{Answer, Answerer, Question, QuestionKind};
use crate::approval::{Always, Approval};
use crate::lock::lock;

/// Asks the person at a terminal, one question after the other. When the input ends, questions stay open, and the run pauses.
///
/// An approval is answered with `y`, `a` (for these arguments, for the rest of the session) or `n`, with a reason if there is one: `n too much`. A value is written as JSON; a
/// text needs no quotes. An empty line declines. An answer that does not fit is asked for again. What is shown comes from models and
/// tools, so control characters in it, and marks that change the direction of writing, are escaped.
///
/// ```
/// use std::io::Cursor;
///
/// use onionskin::question::Terminal;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// /// Pays.
/// #[tool(approval)]
/// fn pay(cents: u32) -> String {
///     format!("paid {cents}")
/// }
///
/// agent! { Payer { instruction: "Pay.", function_tools: [pay] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
/// // `Terminal::default()` is standard input and output.
/// let person = Terminal::on(Cursor::new("n too much\n"), Vec::new());
/// let output = Payer::builder().model(model).answerer(person).run("Pay.").await.unwrap();
/// assert_eq!(output.text, "Tool execution was not approved: too much");
/// # });
/// ```
///
/// Cancel safety: a question that is dropped before it was shown is not shown. One that is dropped later takes the next line with it.
#[derive(Clone)]
pub struct Terminal(Arc<Mutex<Ends>>);

struct Ends {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
}

impl Default for Terminal {
    /// Standard input and output. It takes the lines of its answers only, so the program can read others.
    fn default() -> Self {
        // A larger buffer of its own would take lines that the program reads from standard input itself.
        Self::on(BufReader::with_capacity(1, io::stdin()), io::stdout())
    }
}

impl Terminal {
    /// Another input and output.
    pub fn on(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Ends { input: Box::new(input), output: Box::new(output) })))
    }
}

impl Answerer for Terminal {
    async fn answer(&self, question: Question) -> Option<Answer> {
        let (sender, answer) = oneshot::channel();
        let ends = Arc::clone(&self.0);
        // A thread of its own: a read cannot be cancelled.
        let asks = thread::Builder::new().name("onionskin-terminal".to_owned()).spawn(move || {
            let mut ends = lock(&ends);
            if !sender.is_closed() {
                let answer = ends.ask(&question).unwrap_or_else(|error| {
                    tracing::error!(%error, "the terminal failed, so the question stays open");
                    None
                });
                let _ = sender.send(answer);
            }
        });
        if let Err(error) = asks {
            tracing::error!(%error, "there is no thread for the terminal, so the question stays open");
        }
        answer.await.ok().flatten()
    }
}

impl Ends {
    fn ask(&mut self, question: &Question) -> io::Result<Option<Answer>> {
        writeln!(self.output, "{}", shown(question))?;
        loop {
            let hint = match question.kind() {
                QuestionKind::Approval => "y, a (always), n [reason]",
                _ => "an answer, or nothing to decline",
            };
            write!(self.output, "{hint}> ")?;
            self.output.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                writeln!(self.output)?;
                return Ok(None);
            }
            match read(question, line.trim()) {
                Ok(answer) => return Ok(Some(answer)),
                Err(problem) => writeln!(self.output, "{}", plain(&problem))?,
            }
        }
    }
}

/// The question in words.
fn shown(question: &Question) -> String {
    let agents = question.agents().join(" > ");
    let mut text = format!("{agents}: {} {}", question.tool_name(), question.arguments());
    if let QuestionKind::Component(shown) = question.kind() {
        text.push_str(&format!(" shows {} {}", shown.component(), shown.payload()));
    }
    if let Some(asked) = question.text() {
        text.push_str(": ");
        text.push_str(asked);
    }
    plain(&text)
}

/// The text without control characters, which could move the cursor and hide a part of it, and without marks that change the
/// direction of writing, which could show its words in another order.
fn plain(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().flat_map(|c| if is_hidden(c) { c.escape_unicode().collect() } else { vec![c] }).collect()
}

fn read(question: &Question, line: &str) -> Result<Answer, String> {
    let answer = match question.kind() {
        QuestionKind::Approval => {
            let (word, reason) = line.split_once(' ').unwrap_or((line, ""));
            match (word.to_lowercase().as_str(), reason.trim()) {
                ("y" | "yes", "") => Answer::allow(),
                ("a" | "always", "") => Approval::AllowAlways(Always::Arguments).into(),
                ("n" | "no", "") => Approval::Deny(None).into(),
                ("n" | "no", reason) => Answer::deny(reason),
                _ => return Err("write y, a or n".to_owned()),
            }
        }
        _ if line.is_empty() => Answer::Declined(None),
        _ => {
            let text = Answer::Value(Value::from(line));
            let parsed = serde_json::from_str(line).map(Answer::Value);
            // A text may look like JSON: `41` for a text is the text.
            match parsed {
                _ if question.check(&text).is_ok() && !line.starts_with('"') => text,
                Ok(value) => value,
                Err(_) => text,
            }
        }
    };
    question.check(&answer).map_err(|problem| problem.to_string())?;
    Ok(answer)
}
