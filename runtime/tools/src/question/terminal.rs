//! Questions at a terminal.

use std::io::{self, BufRead, BufReader, IsTerminal as _, Read as _, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Answer, Answerer, Question};
use onionskin_definitions::lock::lock;
use onionskin_definitions::text::folded;

/// The maximum number of bytes of a line, its end included. Longer lines are skipped.
const MAX_LINE_BYTES: u64 = 64 * 1024;
/// The maximum number of characters of an error about an answer.
const MAX_PROBLEM_CHARS: usize = 600;
/// A line that arrives this soon after the question was typed before it, by a person who has not read it.
const MIN_READING_TIME: Duration = Duration::from_millis(200);

/// Asks a person at a terminal, one question at a time. When the input ends, questions stay open, and the run
/// pauses.
///
/// An approval is answered with `y`, `a` (allow these arguments for the rest of the session) or `n`, with an
/// optional reason: `n too much`. A value is written as JSON; a string needs no quotes. An empty line
/// declines. After an answer that does not fit, or exceeds 64 KiB, it asks again. The texts come from models
/// and tools, so they are shortened to fit the window, and invisible characters are escaped. A shortened call
/// can be approved only after `s` has shown all of it ([`Dialogue`](super::Dialogue)). A line that was typed
/// before the question is dropped. A program that shows the events of the run shows those before the question first.
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
/// Cancel safety: if the future is dropped before the question is shown, the question is not shown. If it is
/// dropped later, the question consumes the next line, and is not asked again.
#[derive(Clone)]
pub struct Terminal(Arc<Mutex<Ends>>);

struct Ends {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    /// Whether a person types the input.
    is_typed: bool,
}

impl Default for Terminal {
    /// Uses standard input and output. It consumes only the lines of its answers, so the program can read
    /// others.
    fn default() -> Self {
        // A larger buffer would consume lines that the program reads from standard input.
        let input = BufReader::with_capacity(1, io::stdin());
        Self::with_ends(Ends {
            input: Box::new(input),
            output: Box::new(io::stdout()),
            is_typed: io::stdin().is_terminal(),
        })
    }
}

impl Terminal {
    /// Uses another input and output.
    pub fn on(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self::with_ends(Ends { input: Box::new(input), output: Box::new(output), is_typed: false })
    }

    fn with_ends(ends: Ends) -> Self {
        Self(Arc::new(Mutex::new(ends)))
    }
}

impl Answerer for Terminal {
    async fn answer(&self, question: Question) -> Option<Answer> {
        let (sender, answer) = oneshot::channel();
        let ends = Arc::clone(&self.0);
        // On a separate thread, because a read cannot be cancelled.
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
    /// `is_awaited` returns whether the question is still open; otherwise it stops asking.
    fn ask(&mut self, question: &Question, is_awaited: impl Fn() -> bool) -> io::Result<Option<Answer>> {
        let mut dialogue = question.dialogue();
        writeln!(self.output, "{}", dialogue.line())?;
        while is_awaited() {
            write!(self.output, "{}> ", dialogue.hint())?;
            self.output.flush()?;
            let started = Instant::now();
            let line = read_line(&mut self.input)?;
            let is_unread = self.is_typed && started.elapsed() < MIN_READING_TIME;
            let reply = match line {
                Line::End => {
                    writeln!(self.output)?;
                    return Ok(None);
                }
                Line::TooLong => {
                    format!("the answer has more than {MAX_LINE_BYTES} bytes: write a shorter one")
                }
                Line::Text(line) if is_unread => folded(
                    &format!("dropped, because it was typed before the question: {}", line.trim()),
                    MAX_PROBLEM_CHARS,
                ),
                Line::Text(line) => match dialogue.read(&line) {
                    Ok(Some(answer)) => return Ok(Some(answer)),
                    Ok(None) => dialogue.line().to_owned(),
                    Err(problem) => folded(&problem.to_string(), MAX_PROBLEM_CHARS),
                },
            };
            writeln!(self.output, "{reply}")?;
        }
        Ok(None)
    }
}

enum Line {
    Text(String),
    /// The rest of the line is skipped.
    TooLong,
    End,
}

/// Reads a line of bounded length.
fn read_line(input: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    input.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Line::End);
    }
    if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
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
                .map(|(pause, line)| (MIN_READING_TIME * u32::try_from(*pause).unwrap(), Cursor::new(*line)));
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
