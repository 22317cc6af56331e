//! Questions at a terminal.

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::sync::oneshot;

use super::{Answer, Answerer, Question};
use crate::lock::lock;
use crate::text::folded;

/// The bytes of a line, its end included. A longer one is skipped.
const LONGEST: u64 = 64 * 1024;
/// The characters of what is wrong with an answer.
const PROBLEM: usize = 600;

/// Asks the person at a terminal, one question after the other. When the input ends, questions stay open, and the run pauses.
///
/// An approval is answered with `y`, `a` (for these arguments, for the rest of the session) or `n`, with a reason if there is one: `n too much`. A value is written as JSON; a
/// text needs no quotes. An empty line declines. An answer that does not fit, or has more than 64 KiB, is asked for again. The shown texts come from models and
/// tools, so they are folded to the window, and what is not seen in them is written out ([`Question::to_line`]).
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
        writeln!(self.output, "{}", question.to_line())?;
        while is_awaited() {
            write!(self.output, "{}> ", question.answer_hint())?;
            self.output.flush()?;
            let problem = match read_line(&mut self.input)? {
                Line::End => {
                    writeln!(self.output)?;
                    return Ok(None);
                }
                Line::TooLong => format!("the answer has more than {LONGEST} bytes: write a shorter one"),
                Line::Text(line) => match question.read_answer(&line) {
                    Ok(answer) => return Ok(Some(answer)),
                    Err(problem) => folded(&problem.to_string(), PROBLEM),
                },
            };
            writeln!(self.output, "{problem}")?;
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
