//! Lines of the user: edited at a terminal, or read as they come.

use std::io::{self, ErrorKind, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{
    Cmd, ColorMode, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler,
    ExternalPrinter, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use tokio::sync::oneshot;

use crate::lines::{self, ReadLine};
use crate::text;
use crate::typeahead::take_waiting;

use super::stored::{MOST_INPUTS, Stored};

/// The bytes of a line whose characters come one by one. Each row of a line draws all of it again, so a longer one would take minutes. A
/// terminal pastes a text as one.
const LONGEST_TYPED: usize = 32 << 10;

/// The purpose of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The arrow keys bring it back later.
    Input,
    /// The first answer to a question. Lines that came before are none. The arrow keys bring the choices, the first one first.
    Answer { choices: Vec<String> },
    /// An answer after one that did not fit.
    AnswerAgain,
}

struct Wanted {
    prompt: String,
    purpose: Use,
    reply: oneshot::Sender<ReadLine>,
}

/// Reads lines on a thread of its own, because a read cannot be cancelled.
pub(super) struct Input {
    wanted: mpsc::Sender<Wanted>,
    /// Writes above the answer that is edited.
    printer: Printer,
}

type Printer = Arc<Mutex<Option<Box<dyn ExternalPrinter + Send>>>>;

/// An editor of lines, and whether it left characters out of the line.
struct Lines {
    editor: Editor<(), MemHistory>,
    is_cut: Arc<AtomicBool>,
}

impl Input {
    /// Lines with an editor. The terminal has to be one. The arrow keys bring `first` back as if the user had typed it before, and the
    /// inputs of earlier chats, if some are `stored`.
    pub(super) fn edited(first: Option<&str>, stored: Option<Stored>) -> Result<Self, ReadlineError> {
        let mut inputs = Lines::new()?;
        for input in stored.iter().flat_map(Stored::inputs) {
            // What a file has does not control the terminal.
            if text::block(&input) == input {
                inputs.editor.add_history_entry(input)?;
            }
        }
        if let Some(first) = first {
            inputs.editor.add_history_entry(first)?;
        }
        let printer = Printer::default();
        let prints = Arc::clone(&printer);
        // An editor keeps the lines that came together. Those of the inputs are later inputs, and no answers.
        let mut answers = None;
        let mut input = Self::start(move |wanted| {
            let lines = match (&wanted.purpose, &mut answers) {
                (Use::Input, _) => &mut inputs,
                (Use::AnswerAgain, Some(answers)) => answers,
                (purpose, answers) => match Lines::answering(&prints, purpose) {
                    Ok(lines) => answers.insert(lines),
                    Err(error) => return ReadLine::Failed(error.to_string()),
                },
            };
            let typed = lines.read(&wanted.prompt);
            if let ReadLine::Line(line) = &typed
                && wanted.purpose == Use::Input
                && !line.trim().is_empty()
            {
                // A line that the history does not keep is an input all the same.
                let _ = lines.editor.add_history_entry(line.as_str());
                if let Some(stored) = &stored {
                    let _ = stored.keep_input(line);
                }
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
    pub(super) fn line(&self, prompt: &str, purpose: Use) -> impl Future<Output = ReadLine> + use<> {
        let (reply, typed) = oneshot::channel();
        // If the reader has ended, so has the channel.
        let _ = self.wanted.send(Wanted { prompt: prompt.to_owned(), purpose, reply });
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

impl Lines {
    fn new() -> Result<Self, ReadlineError> {
        let config = Config::builder().max_history_size(MOST_INPUTS)?.color_mode(ColorMode::Disabled).build();
        let mut editor = Editor::with_history(config.clone(), MemHistory::with_config(&config))?;
        let is_cut = Arc::new(AtomicBool::new(false));
        let keys = |keys: Keys| EventHandler::Conditional(Box::new(keys));
        editor.bind_sequence(KeyEvent::ctrl('c'), keys(Keys::DropsLine));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::NONE), keys(Keys::EndsLine));
        editor.bind_sequence(Event::Any, keys(Keys::Bounds(Arc::clone(&is_cut))));
        Ok(Self { editor, is_cut })
    }

    /// An editor for the answers to a question.
    fn answering(printer: &Printer, purpose: &Use) -> Result<Self, ReadlineError> {
        let mut lines = Self::new()?;
        if let Use::Answer { choices } = purpose {
            for choice in choices.iter().rev() {
                lines.editor.add_history_entry(choice)?;
            }
        }
        let prints = lines.editor.create_external_printer()?;
        *printer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(prints));
        Ok(lines)
    }

    fn read(&mut self, prompt: &str) -> ReadLine {
        let read = self.editor.readline(prompt);
        let is_cut = self.is_cut.swap(false, Ordering::Relaxed);
        match read {
            Ok(_) if is_cut => ReadLine::Refused(format!(
                "the line has more than {} KiB and did not come as one paste: put it into a file",
                LONGEST_TYPED >> 10
            )),
            Ok(line) => lines::bounded(line.replace("\\\n", "\n")),
            Err(ReadlineError::Eof) => ReadLine::End,
            Err(ReadlineError::Interrupted | ReadlineError::Signal(rustyline::error::Signal::Interrupt)) => {
                ReadLine::Interrupted
            }
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                // What came with it must not become a line of its own.
                drop(take_waiting());
                ReadLine::Refused(format!("{}: it is dropped", lines::NOT_TEXT))
            }
            Err(error) => ReadLine::Failed(error.to_string()),
        }
    }
}

/// What keys do that the editor has no command for.
enum Keys {
    /// Ctrl-C drops the line that was begun. On an empty line it means what it means elsewhere.
    DropsLine,
    /// Enter ends the line, if it does not end with `\`.
    EndsLine,
    /// Characters behind the longest line are left out, and this is noted.
    Bounds(Arc<AtomicBool>),
}

impl ConditionalEventHandler for Keys {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        match self {
            Self::DropsLine if context.line().is_empty() => Some(Cmd::Interrupt),
            Self::DropsLine => Some(Cmd::Kill(Movement::WholeBuffer)),
            Self::EndsLine => context.line()[..context.pos()].ends_with('\\').then_some(Cmd::Newline),
            Self::Bounds(is_cut) => {
                let is_character = matches!(
                    event.get(0),
                    Some(KeyEvent(KeyCode::Char(_), Modifiers::NONE | Modifiers::SHIFT))
                );
                let cuts = is_character && context.line().len() >= LONGEST_TYPED;
                if cuts || context.line().is_empty() {
                    is_cut.store(cuts, Ordering::Relaxed);
                }
                cuts.then_some(Cmd::Noop)
            }
        }
    }
}
