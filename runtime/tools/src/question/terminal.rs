//! Questions at a terminal.

use std::io::{self, BufRead, BufReader, IsTerminal as _, Read as _, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Answer, Answerer, Question};
use onionskin_definitions::lock::lock;
use onionskin_definitions::text::folded;

/// The bytes of a line, its end included. A longer one is skipped.
const LONGEST: u64 = 64 * 1024;
/// The characters of what is wrong with an answer.
const PROBLEM: usize = 600;
/// A line that is there so soon after the question was typed before it, by somebody who has not read it.
const UNREAD: Duration = Duration::from_millis(200);

/// Asks the person at a terminal, one question after the other. When the input ends, questions stay open, and the run pauses.
///
/// An approval is answered with `y`, `a` (for these arguments, for the rest of the session) or `n`, with a reason if there is one: `n too much`. A value is written as JSON; a
/// text needs no quotes. An empty line declines. An answer that does not fit, or has more than 64 KiB, is asked for again. The shown texts come from models and
/// tools, so they are folded to the window, and what is not seen in them is written out. A call that is folded can be approved after `s` showed all of it
/// ([`Dialogue`](super::Dialogue)). A line that was typed before the question is dropped.
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
/// Cancel safety: a question that is dropped before it was shown is not shown. One that is dropped later takes the next line with it, and
/// is not asked again.
#[derive(Clone)]
pub struct Terminal(Arc<Mutex<Ends>>);

struct Ends {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    /// Whether a person types, who reads a question before they answer it.
    is_typed: bool,
}

impl Default for Terminal {
    /// Standard input and output. It takes the lines of its answers only, so the program can read others.
    fn default() -> Self {
        // A larger buffer of its own would take lines that the program reads from standard input itself.
        let input = BufReader::with_capacity(1, io::stdin());
        Self::of(Ends {
            input: Box::new(input),
            output: Box::new(io::stdout()),
            is_typed: io::stdin().is_terminal(),
        })
    }
}

impl Terminal {
    /// Another input and output.
    pub fn on(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self::of(Ends { input: Box::new(input), output: Box::new(output), is_typed: false })
    }

    fn of(ends: Ends) -> Self {
        Self(Arc::new(Mutex::new(ends)))
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
                let answer = ends.ask(&question, || !sender.is_closed()).unwrap_or_else(|error| {
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
    /// `is_awaited` tells whether the question is open still: nothing more is asked for one that is not.
    fn ask(&mut self, question: &Question, is_awaited: impl Fn() -> bool) -> io::Result<Option<Answer>> {
        let mut dialogue = question.dialogue();
        writeln!(self.output, "{}", dialogue.line())?;
        while is_awaited() {
            write!(self.output, "{}> ", dialogue.hint())?;
            self.output.flush()?;
            let asked = Instant::now();
            let line = read_line(&mut self.input)?;
            let is_unread = self.is_typed && asked.elapsed() < UNREAD;
            let reply = match line {
                Line::End => {
                    writeln!(self.output)?;
                    return Ok(None);
                }
                Line::TooLong => format!("the answer has more than {LONGEST} bytes: write a shorter one"),
                Line::Text(line) if is_unread => folded(
                    &format!("dropped, because it was typed before the question: {}", line.trim()),
                    PROBLEM,
                ),
                Line::Text(line) => match dialogue.read(&line) {
                    Ok(Some(answer)) => return Ok(Some(answer)),
                    Ok(None) => dialogue.line().to_owned(),
                    Err(problem) => folded(&problem.to_string(), PROBLEM),
                },
            };
            writeln!(self.output, "{reply}")?;
        }
        Ok(None)
    }
}

enum Line {
    Text(String),
    /// Its rest is skipped.
    TooLong,
    End,
}

/// Reads a line, and keeps a bounded part of it.
fn read_line(input: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Line::End);
    }
    if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Line::TooLong);
    }
    String::from_utf8(line).map(Line::Text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;

    use super::*;
    use crate::question::QuestionKind;

    /// What a person types, each line some time after the one before.
    struct Typing(Vec<(Duration, Cursor<&'static str>)>);

    impl io::Read for Typing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while let Some((pause, line)) = self.0.first_mut() {
                thread::sleep(std::mem::take(pause));
                match line.read(buffer)? {
                    0 => drop(self.0.remove(0)),
                    read => return Ok(read),
                }
            }
            Ok(0)
        }
    }

    #[test]
    fn u3_a_line_that_was_typed_before_the_question_does_not_answer_it() {
        let pay = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 99_999 }));
        let ask = |is_typed, lines: &[(u64, &'static str)]| {
            let lines = lines
                .iter()
                .map(|(pause, line)| (UNREAD * u32::try_from(*pause).unwrap(), Cursor::new(*line)));
            let input = Box::new(BufReader::with_capacity(1, Typing(lines.collect())));
            let mut ends = Ends { input, output: Box::new(io::sink()), is_typed };
            ends.ask(&pay, || true).unwrap()
        };
        assert_eq!(ask(true, &[(0, "y\n"), (0, "y\n")]), None);
        assert_eq!(
            ask(true, &[(0, "y\n"), (0, "a\n"), (2, "n\n")]),
            Some(Answer::Approval(crate::approval::Approval::Deny(None)))
        );
        assert_eq!(ask(true, &[(2, "y\n")]), Some(Answer::allow()));
        assert_eq!(ask(false, &[(0, "y\n")]), Some(Answer::allow()), "a program answers when it can");
    }
}
