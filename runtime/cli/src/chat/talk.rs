//! The loop of the chat.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use onionskin_core::question::Paused;
use onionskin_core::run::RunRequest;
use onionskin_core::{AgentHandle, Session};

use crate::failure::{FAILED, Failure};
use crate::lines::ReadLine;
use crate::model::ModelNames;
use crate::output;
use crate::questions;
use crate::signals::{INTERRUPT, Signals};
use crate::text;

use super::command::{self, Command, HELP};
use super::files;
use super::input::{Input, Use};
use super::terminal::{self, Modes, Streams};
use super::turn::{Turn, TurnEnd, Used, say};
use super::view::{Live, Plain, View};

/// The fewest columns of a description.
const LEAST_COLUMNS: usize = 20;

const PROMPT: &str = "you> ";

/// A conversation in progress.
pub(super) struct Talk<'s> {
    agent: AgentHandle,
    models: ModelNames,
    session: Session,
    /// The message that the user can begin with.
    first: Option<String>,
    input: Input,
    signals: &'s mut Signals,
    streams: Streams,
    paused: Option<Paused>,
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
    /// Begins a conversation. A person at a terminal can send the `initial` message.
    pub(super) fn begin(
        agent: AgentHandle,
        models: ModelNames,
        initial: Option<&str>,
        signals: &'s mut Signals,
    ) -> Result<Self, Failure> {
        let streams = Streams::process();
        // A message that the terminal would not show as it is cannot be edited.
        let first =
            initial.filter(|text| streams.is_live && !text.contains('\n') && text::block(text) == *text);
        let input = if streams.is_live {
            Input::edited(first)
                .map_err(|error| Failure::new(format!("the terminal cannot be used: {error}")))?
        } else {
            Input::plain(streams.is_typed).map_err(Failure::new)?
        };
        let session = agent.session();
        let (paused, last, sum) = (None, None, Used::default());
        let first = first.map(str::to_owned);
        let has_failed = false;
        Ok(Self { agent, models, session, first, input, signals, streams, paused, last, sum, has_failed })
    }

    pub(super) async fn run(mut self) -> Result<ExitCode, Failure> {
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
            say(&format!("Chat with {}. `/help` shows the commands.", text::first_line(self.agent.name())))?;
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
                ReadLine::End => return Ok(Next::Quit),
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
        output::error(&text::block(why));
    }

    /// Says what to write, where nothing went wrong at a terminal.
    fn hint(&mut self, words: &str) {
        self.has_failed = true;
        output::aside(&text::block(words));
    }

    /// Runs the agent, and shows the run.
    async fn turn(&mut self, request: RunRequest) -> io::Result<Next> {
        self.paused = None;
        let mut view: Box<dyn View> = if self.streams.is_live {
            Box::new(Live::new(io::stdout(), terminal::size, self.streams.has_colours))
        } else {
            Box::new(Plain::new(io::stdout()))
        };
        let quiet = self.streams.is_live.then(Modes::without_echo);
        let ended = Turn::new(&mut *view, &mut self.input, self.signals).run(request).await;
        drop(quiet);
        let (end, used) = ended?;
        self.last = Some(used);
        self.sum.add(used);
        match end {
            // Its last line says so.
            TurnEnd::Answered | TurnEnd::Cancelled => {}
            TurnEnd::AnsweredBefore => say("(the run had ended, and the conversation has its answer)")?,
            TurnEnd::Paused(paused) => {
                let questions =
                    paused.questions().iter().map(|question| format!("  {}\n", questions::line(question)));
                let questions: String = questions.collect();
                self.hint(&format!(
                    "the run is paused, because it waits for answers:\n{questions}`/resume` asks again"
                ));
                self.paused = Some(paused);
            }
            TurnEnd::Failed(error) => self.refuse(&self.models.describe(&error)),
            TurnEnd::Left(signal) => return Ok(Next::Signal(signal)),
        }
        Ok(Next::Continue)
    }

    async fn command(&mut self, command: Command) -> io::Result<Next> {
        match command {
            Command::Nothing => {}
            Command::Input(text) => {
                let request = self.agent.request(text).session(&self.session);
                return self.turn(request).await;
            }
            Command::Hint(words) => self.hint(words),
            Command::Help => say(HELP)?,
            Command::Tools => self.tools()?,
            Command::System => return self.system().await,
            Command::Usage => self.usage()?,
            Command::Save { file, replace } => match files::save(&self.session, &file, replace) {
                Ok(()) => say(&format!("{} saved to `{}`", self.messages(), shown(&file)))?,
                Err(why) => self.refuse(&why),
            },
            Command::Load { file } => match files::load(&file) {
                Ok(saved) => {
                    // Approvals for the conversation so far do not count for another one.
                    self.session = self.agent.session();
                    self.session.restore(saved);
                    (self.paused, self.last, self.sum) = (None, None, Used::default());
                    say(&format!("{} loaded from `{}`", self.messages(), shown(&file)))?;
                }
                Err(why) => self.refuse(&why),
            },
            Command::Resume => match self.paused.clone() {
                Some(paused) => {
                    let request = self.agent.resume(&paused).session(&self.session);
                    return self.turn(request).await;
                }
                None => self.refuse("no run is paused"),
            },
            Command::Quit => return Ok(Next::Quit),
        }
        Ok(Next::Continue)
    }

    /// `12 messages`.
    fn messages(&self) -> String {
        text::counted(self.session.history().len() as u64, "message")
    }

    fn tools(&mut self) -> io::Result<()> {
        let tools = match self.agent.tool_definitions() {
            Ok(tools) => tools,
            Err(error) => {
                self.refuse(&error.to_string());
                return Ok(());
            }
        };
        if tools.is_empty() {
            return say("the agent has no tools");
        }
        let names: Vec<_> = tools.iter().map(|tool| text::first_line(&tool.name)).collect();
        let width = names.iter().map(|name| text::width(name)).max().unwrap_or_default();
        let room = terminal::size().0.saturating_sub(width + 2).max(LEAST_COLUMNS);
        for (name, tool) in names.iter().zip(&tools) {
            let description = text::first_line(&tool.description);
            let lines = if self.streams.is_live {
                text::wrapped(&description, room, usize::MAX)
            } else {
                vec![description]
            };
            let space = " ".repeat(width - text::width(name));
            let between = format!("\n{}", " ".repeat(width + 2));
            say(format!("{name}{space}  {}", lines.join(&between)).trim_end())?;
        }
        Ok(())
    }

    /// Shows the prompt of the next run. A signal ends the wait for its parts.
    async fn system(&mut self) -> io::Result<Next> {
        let prompt = self.agent.request("").session(&self.session).system_prompt();
        let prompt = tokio::select! {
            signal = self.signals.next() => {
                return Ok(if signal == INTERRUPT { Next::Continue } else { Next::Signal(signal) });
            }
            prompt = prompt => prompt,
        };
        match prompt {
            Ok(Some(prompt)) => say(&text::block(prompt.trim_end()))?,
            Ok(None) => say("the agent has no system prompt")?,
            Err(error) => self.refuse(&error.to_string()),
        }
        Ok(Next::Continue)
    }

    fn usage(&self) -> io::Result<()> {
        match &self.last {
            Some(last) => say(&format!("last run: {last}"))?,
            None => say("last run: none")?,
        }
        say(&format!("conversation: {}", self.sum))
    }
}

fn shown(file: &Path) -> String {
    text::block(&file.display().to_string())
}
