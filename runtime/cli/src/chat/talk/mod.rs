//! The loop of the chat.

mod about;
mod session;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use onionskin_core::model::{History, Message};
use onionskin_core::question::Paused;
use onionskin_core::run::RunRequest;
use onionskin_core::{App, Session};

use crate::failure::{FAILED, Failure};
use crate::lines::ReadLine;
use crate::model::ModelNames;
use crate::output;
use crate::questions;
use crate::signals::{INTERRUPT, Signals};
use crate::text;

use super::Source;
use super::command::{self, Command, HELP};
use super::files;
use super::input::{Input, Use};
use super::past::Past;
use super::stored::{Stored, StoredFile};
use super::terminal::{self, Modes, Streams};
use super::turn::{Turn, TurnEnd, Used, say};
use super::view::{Live, Plain, View};
use super::watch::Watch;

/// The fewest columns of a description.
const LEAST_COLUMNS: usize = 20;

const PROMPT: &str = "you> ";

/// A conversation in progress.
pub(super) struct Talk<'s> {
    source: &'s Source<'s>,
    app: App,
    watch: &'s mut Watch<'s>,
    models: ModelNames,
    session: Session,
    /// The message that the user can begin with.
    first: Option<String>,
    input: Input,
    signals: &'s mut Signals,
    streams: Streams,
    paused: Option<Paused>,
    past: Past,
    /// The last input, if it did not come into the conversation.
    unsent: Option<String>,
    /// Where the conversation is kept for later chats.
    stored: Option<Stored>,
    kept: StoredFile,
    last: Option<Used>,
    sum: Used,
    has_failed: bool,
}

/// What the chat does after a line.
enum Next {
    Continue,
    Quit,
    /// The number of the signal that ends the chat.
    Signal(u8),
}

impl<'s> Talk<'s> {
    /// Begins or continues a conversation, that of the stored session if one was opened. A person at a terminal can send the initial
    /// message.
    pub(super) fn begin(
        source: &'s Source<'s>,
        app: App,
        opened: Option<Session>,
        watch: &'s mut Watch<'s>,
        signals: &'s mut Signals,
    ) -> Result<Self, Failure> {
        let streams = Streams::process();
        let is_plain = |text: &&str| streams.is_live && !text.contains('\n') && text::block(text) == **text;
        // A message that the terminal would not show as it is cannot be edited.
        let first = app.initial_message().filter(is_plain).map(str::to_owned);
        let continues = source.arguments.continues;
        let stored = Stored::new(source.program, app.entry().name(), source.arguments.session.user());
        let stored = stored.filter(|_| streams.is_typed || continues);
        let is_opened = opened.is_some();
        let session = opened.unwrap_or_else(|| app.entry().session());
        let mut kept = StoredFile::default();
        if continues {
            let (saved, file) = match &stored {
                Some(stored) => stored.conversation().map_err(Failure::new)?,
                None => return Err(Failure::new("there is no folder for conversations: set `HOME`")),
            };
            session.restore(saved).map_err(|error| Failure::new(error.to_string()))?;
            kept = file;
        }
        let input = if streams.is_live {
            Input::edited(first.as_deref(), stored.clone())
                .map_err(|error| Failure::new(format!("the terminal cannot be used: {error}")))?
        } else {
            Input::plain(streams.is_typed).map_err(Failure::new)?
        };
        Ok(Self {
            models: source.models(&app),
            source,
            app,
            watch,
            past: Past::new(&session.history()),
            unsent: None,
            paused: session.paused(),
            session,
            first,
            input,
            signals,
            streams,
            stored: stored.filter(|_| !is_opened),
            kept,
            last: None,
            sum: Used::default(),
            has_failed: false,
        })
    }

    pub(super) fn into_app(self) -> App {
        self.app
    }

    pub(super) async fn run(&mut self) -> Result<ExitCode, Failure> {
        match self.lines().await {
            Ok(Next::Signal(signal)) => Err(Failure::interrupted(signal)),
            // A user at the terminal has seen the error already.
            Ok(_) if self.has_failed && !self.streams.is_typed => Ok(ExitCode::from(FAILED)),
            Ok(_) => Ok(ExitCode::SUCCESS),
            // A reader that has closed its end is not a failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(error) => Err(Failure::new(error)),
        }
    }

    async fn lines(&mut self) -> io::Result<Next> {
        if self.streams.is_typed {
            say(&format!(
                "Chat with {}. `/help` shows the commands.",
                text::first_line(self.app.entry().name())
            ))?;
            if !self.session.history().is_empty() {
                let which = self
                    .stored_id()
                    .map_or_else(|| "The last conversation".to_owned(), |id| format!("The session `{id}`"));
                say(&format!("{which} goes on: {}", self.messages()))?;
                let last = self.session.history().last().cloned();
                let is_answered = last.is_some_and(|last| {
                    matches!(last, Message::Assistant { .. }) && last.tool_calls().is_empty()
                });
                if !is_answered && self.paused.is_none() {
                    self.hint_at_undo("its last input has no answer yet");
                }
            }
        }
        if let Some(note) = self.source.arguments.session.note_of_new(self.source.program, &self.session) {
            aside(&note);
        }
        if let Some(paused) = &self.paused {
            aside(&waits(paused));
        }
        if let Some(first) = &self.first {
            say(&format!("The up arrow brings the initial message: {}", text::first_line(first)))?;
        }
        loop {
            let typed = tokio::select! {
                biased;
                signal = self.signals.next() => return Ok(Next::Signal(signal)),
                typed = self.input.line(PROMPT, Use::Input) => typed,
            };
            let line = match typed {
                ReadLine::Line(line) => line,
                ReadLine::Refused(why) => {
                    self.refuse(&why);
                    continue;
                }
                ReadLine::Interrupted => return Ok(Next::Signal(INTERRUPT)),
                ReadLine::End => return Ok(self.quit()),
                ReadLine::Failed(why) => {
                    return Err(io::Error::other(format!("the input cannot be read: {why}")));
                }
            };
            let next = match command::read(&line) {
                Ok(command) => self.command(command).await?,
                Err(mistake) => {
                    self.refuse(&mistake);
                    Next::Continue
                }
            };
            if !matches!(next, Next::Continue) {
                return Ok(next);
            }
        }
    }

    /// Says why a line has no effect.
    fn refuse(&mut self, why: &str) {
        self.has_failed = true;
        // One that is drawn with its lines of a file stays as it is.
        let why = text::block(why);
        output::error(&if why.starts_with("error: ") {
            why
        } else {
            terminal::fitted(&format!("error: {why}"))
        });
    }

    /// Says what to write, where nothing went wrong at a terminal.
    fn hint(&mut self, words: &str) {
        self.has_failed = true;
        aside(words);
    }

    /// Runs the agent, and shows the run: that of an input, or one that was paused.
    async fn turn(&mut self, request: RunRequest, input: Option<String>) -> io::Result<Next> {
        self.paused = None;
        let mut view: Box<dyn View> = if self.streams.is_live {
            Box::new(Live::new(io::stdout(), terminal::size, self.streams.has_colours))
        } else {
            Box::new(Plain::new(io::stdout()))
        };
        let quiet = self.streams.is_live.then(Modes::without_echo);
        let stored = self.stored_id();
        let before = self.session.history();
        let ended = Turn::new(&mut *view, &mut self.input, self.signals, self.source.arguments.yes)
            .run(request, stored)
            .await;
        drop(quiet);
        let (end, used) = ended?;
        self.last = Some(used);
        self.sum.add(used);
        self.keep();
        match end {
            // Its last line says so.
            TurnEnd::Answered => {}
            TurnEnd::Cancelled => self.hint_at_input(&before),
            TurnEnd::NotBegun => self.keep_unsent(input, &before),
            TurnEnd::AnsweredBefore => say("(the run had ended, and the conversation has its answer)")?,
            TurnEnd::Paused(paused) => {
                self.hint(&waits(&paused));
                self.paused = Some(paused);
            }
            TurnEnd::Failed(error) => {
                self.refuse(&self.models.describe(&error));
                self.hint_at_input(&before);
            }
            TurnEnd::Left(signal) => return Ok(Next::Signal(signal)),
        }
        if self.stored_id().is_some() {
            // A run that failed before it used an answer still waits.
            self.paused = self.session.paused();
        }
        Ok(Next::Continue)
    }

    /// Says that the input of a run without an answer is in the conversation, if it came into it.
    fn hint_at_input(&self, before: &History) {
        if self.session.history() != *before {
            self.hint_at_undo("the input stays in the conversation");
        }
    }

    /// Says what to do about the input of a run without an answer.
    fn hint_at_undo(&self, what: &str) {
        if self.streams.is_typed {
            aside(&format!("{what}: `/retry` sends it again, `/undo` takes it out"));
        }
    }

    /// Sends an input.
    async fn send(&mut self, text: String) -> io::Result<Next> {
        let next = self.reload().await?;
        if !matches!(next, Next::Continue) {
            return Ok(next);
        }
        if self.stored_id().is_some() && !self.catch_up().await? {
            return Ok(Next::Continue);
        }
        self.unsent = None;
        self.past.keep_input(&self.session, text.clone());
        let request = self.app.entry().request(text.clone());
        self.turn(self.source.arguments.session.continues(request, &self.session), Some(text)).await
    }

    fn quit(&self) -> Next {
        self.say_dropped();
        Next::Quit
    }

    /// Says that a paused run is in this chat alone.
    fn say_dropped(&self) {
        if let Some(paused) = self.paused.as_ref().filter(|_| self.stored_id().is_none()) {
            let questions = open_questions(paused);
            aside(&format!("the paused run is not kept; it waits for answers:{questions}"));
        }
    }

    async fn command(&mut self, command: Command) -> io::Result<Next> {
        match command {
            Command::Nothing => {}
            Command::Input(_) if self.paused.is_some() => self.refuse(
                "the input is not sent, because a run is paused: `/resume` asks its questions again, `/undo` gives it up",
            ),
            Command::Input(text) => return self.send(text).await,
            Command::Hint(words) => self.hint(words),
            Command::Help => say(HELP)?,
            Command::Tools => self.tools()?,
            Command::System => return self.system().await,
            Command::Usage => self.usage()?,
            Command::Save { file, replace } => match files::save(&self.session, &file, replace) {
                Ok(()) => {
                    say(&format!("{} saved to `{}`", self.messages(), shown(&file)))?;
                    self.say_dropped();
                }
                Err(why) => self.refuse(&why),
            },
            Command::Load { .. } | Command::Clear if let Some(id) = self.stored_id() => self.refuse(&format!(
                "the chat is the stored session `{id}`: leave, and name another id with `--session`"
            )),
            Command::Load { file } => match files::load(&file) {
                Ok(saved) => {
                    // Approvals for the conversation so far do not count for another one.
                    let session = self.app.entry().session();
                    if let Err(error) = session.restore(saved) {
                        self.refuse(&format!("`{}` was not loaded: {error}", shown(&file)));
                        return Ok(Next::Continue);
                    }
                    self.change_session(session);
                    self.kept = StoredFile::default();
                    say(&format!("{} loaded from `{}`", self.messages(), shown(&file)))?;
                }
                Err(why) => self.refuse(&why),
            },
            Command::Resume if self.stored_id().is_some() && self.read_others().await?.is_none() => {}
            Command::Resume => match self.paused.clone() {
                Some(paused) => {
                    let request = self.app.entry().resume(&paused);
                    let request = self.source.arguments.session.continues(request, &self.session);
                    return self.turn(request, None).await;
                }
                None => self.refuse("no run is paused"),
            },
            Command::Undo => {
                if let Some(before) = self.undo().await? {
                    let out = before.input.map(|input| format!("taken out: {}\n", text::first_line(&input)));
                    say(&format!("{}the conversation has {}", out.unwrap_or_default(), self.messages()))?;
                    if self.sum.allows_always {
                        say("(calls that you allowed with `a` stay allowed)")?;
                    }
                }
            }
            Command::Retry if let Some(text) = self.unsent.clone() => return self.send(text).await,
            Command::Retry => match self.past.last_input() {
                Some(_) => {
                    if let Some(text) = self.undo().await?.and_then(|before| before.input) {
                        return self.send(text).await;
                    }
                }
                None => self.refuse("there is no input to send again"),
            },
            Command::Clear => {
                self.change_session(self.app.entry().session());
                self.keep();
                say("the conversation is empty; `/undo` brings the last one back")?;
            }
            Command::Quit => return Ok(self.quit()),
        }
        Ok(Next::Continue)
    }
}

/// Writes to standard error.
fn aside(words: &str) {
    output::aside(&terminal::fitted(&text::block(words)));
}

fn waits(paused: &Paused) -> String {
    let questions = open_questions(paused);
    format!("the run is paused, because it waits for answers:{questions}\n`/resume` asks again")
}

/// The open questions of a run, each behind the end of a line.
fn open_questions(paused: &Paused) -> String {
    let lines: Vec<_> =
        paused.questions().iter().map(|question| format!("\n  {}", questions::line(question))).collect();
    lines.concat()
}

fn shown(file: &Path) -> String {
    text::block(&file.display().to_string())
}
