//! Lines of the user: edited at a terminal, or read as they come.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{
    Cmd, ColorMode, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler,
    ExternalPrinter, KeyEvent, Movement, RepeatCount,
};
use tokio::sync::oneshot;

use crate::lines::{self, ReadLine};

/// The inputs that the arrow keys bring back.
const MOST_INPUTS: usize = 1000;

/// The purpose of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The arrow keys bring it back later.
    Input,
    /// The first answer to a question. Lines that came before are none.
    Answer,
    /// An answer after one that did not fit.
    AnswerAgain,
}

struct Wanted {
    prompt: String,
    of: Use,
    reply: oneshot::Sender<ReadLine>,
}

/// Reads lines on a thread of its own, because a read cannot be cancelled.
pub(super) struct Input {
    wanted: mpsc::Sender<Wanted>,
    /// Writes above the answer that is edited.
    printer: Printer,
}

type Printer = Arc<Mutex<Option<Box<dyn ExternalPrinter + Send>>>>;
type Lines = Editor<(), MemHistory>;

impl Input {
    /// Lines with an editor. The terminal has to be one. The arrow keys bring `first` back as if the user had typed it before.
    pub(super) fn edited(first: Option<&str>) -> Result<Self, ReadlineError> {
        let mut inputs = editor()?;
        if let Some(first) = first {
            inputs.add_history_entry(first)?;
        }
        let printer = Printer::default();
        let prints = Arc::clone(&printer);
        // An editor keeps the lines that came together. Those of the inputs are later inputs, and no answers.
        let mut answers = None;
        let mut input = Self::start(move |wanted| {
            let editor = match (wanted.of, &mut answers) {
                (Use::Input, _) => &mut inputs,
                (Use::AnswerAgain, Some(answers)) => answers,
                (_, answers) => match answering(&prints) {
                    Ok(editor) => answers.insert(editor),
                    Err(error) => return ReadLine::Failed(error.to_string()),
                },
            };
            let typed = match editor.readline(&wanted.prompt) {
                Ok(line) => ReadLine::Line(line),
                Err(ReadlineError::Eof) => ReadLine::End,
                Err(
                    ReadlineError::Interrupted | ReadlineError::Signal(rustyline::error::Signal::Interrupt),
                ) => ReadLine::Interrupted,
                Err(error) => ReadLine::Failed(error.to_string()),
            };
            if let ReadLine::Line(line) = &typed
                && wanted.of == Use::Input
                && !line.trim().is_empty()
            {
                // A line that the history does not keep is an input all the same.
                let _ = editor.add_history_entry(line.as_str());
            }
            typed
        })?;
        input.printer = printer;
        Ok(input)
    }

    /// Lines as they come from standard input. `shows_prompt` if a person types them.
    pub(super) fn plain(shows_prompt: bool) -> io::Result<Self> {
        Self::start(move |wanted| {
            if shows_prompt {
                let mut out = io::stdout().lock();
                let _ = write!(out, "{}", wanted.prompt).and_then(|()| out.flush());
            }
            lines::read(&mut io::stdin().lock())
        })
    }

    fn start(mut read: impl FnMut(&Wanted) -> ReadLine + Send + 'static) -> io::Result<Self> {
        let (sender, wanted) = mpsc::channel::<Wanted>();
        thread::Builder::new().name("onionskin-input".to_owned()).spawn(move || {
            for wanted in wanted {
                let typed = read(&wanted);
                // The chat has ended if it does not take the line.
                let _ = wanted.reply.send(typed);
            }
        })?;
        Ok(Self { wanted: sender, printer: Printer::default() })
    }

    /// The next line.
    ///
    /// Not cancel safe: if the future is dropped, the next line is lost.
    pub(super) fn line(&self, prompt: &str, of: Use) -> impl Future<Output = ReadLine> + use<> {
        let (reply, typed) = oneshot::channel();
        // If the reader has ended, so has the channel.
        let _ = self.wanted.send(Wanted { prompt: prompt.to_owned(), of, reply });
        async move { typed.await.unwrap_or_else(|_| ReadLine::Failed("its reader has ended".to_owned())) }
    }

    /// Writes a line above the answer that is typed now.
    pub(super) fn print_above(&self, line: &str) {
        let line = format!("{line}\n");
        // A terminal that takes no text has no reader.
        let mut printer = self.printer.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = match &mut *printer {
            Some(printer) => printer.print(line).is_ok(),
            None => io::stdout().write_all(line.as_bytes()).is_ok(),
        };
    }
}

fn editor() -> Result<Lines, ReadlineError> {
    let config = Config::builder().max_history_size(MOST_INPUTS)?.color_mode(ColorMode::Disabled).build();
    let mut editor = Editor::with_history(config.clone(), MemHistory::with_config(&config))?;
    editor.bind_sequence(KeyEvent::ctrl('c'), EventHandler::Conditional(Box::new(DropsLine)));
    Ok(editor)
}

/// An editor for the answers to a question.
fn answering(printer: &Printer) -> Result<Lines, ReadlineError> {
    let mut editor = editor()?;
    let prints = editor.create_external_printer()?;
    *printer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(prints));
    Ok(editor)
}

/// Ctrl-C drops the line that was begun. On an empty line it means what it means elsewhere.
struct DropsLine;

impl ConditionalEventHandler for DropsLine {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        Some(if context.line().is_empty() { Cmd::Interrupt } else { Cmd::Kill(Movement::WholeBuffer) })
    }
}
