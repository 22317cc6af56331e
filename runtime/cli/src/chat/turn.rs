//! One run within the chat: it is shown, its questions are asked, and Ctrl-C cancels it.

use std::fmt;
use std::io::{self, Write as _};
use std::pin::pin;
use std::time::{Duration, Instant};

use onionskin_core::approval::Approval;
use onionskin_core::event::{Event, EventKind};
use onionskin_core::model::Usage;
use onionskin_core::question::{Answer, Paused, Question, QuestionKind};
use onionskin_core::run::{RunRequest, RunStream};
use onionskin_core::text::thousands;
use onionskin_core::{CancellationToken, RunError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, sleep};

use crate::lines::ReadLine;
use crate::output::NOTICED;
use crate::questions::{self, Asking, YesArgument};
use crate::signals::{INTERRUPT, Signals, last_work};
use crate::text;
use crate::typeahead;

use super::input::{Input, Use};
use super::terminal;
use super::view::View;

/// The time between two drawings.
const FRAME: Duration = Duration::from_millis(50);

/// The events that are shown before a question: those of the run until then, and of its other calls only so many.
const MOST_WAITING: usize = 10_000;

/// How a run ended.
pub(super) enum TurnEnd {
    Answered,
    /// It had its answer already when the user cancelled it.
    AnsweredBefore,
    Cancelled,
    /// The user cancelled it while it waited for another run of its stored session.
    NotBegun,
    Paused(Paused),
    Failed(RunError),
    /// The user leaves: the number of the signal.
    Left(u8),
}

/// What a run used, with all runs below it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Used {
    pub(super) usage: Usage,
    pub(super) turns: u64,
    pub(super) calls: u64,
    pub(super) time: Duration,
    /// Whether the user allowed calls always.
    pub(super) allows_always: bool,
}

impl Used {
    pub(super) fn add(&mut self, other: Self) {
        self.usage += other.usage;
        self.turns += other.turns;
        self.calls += other.calls;
        self.time += other.time;
        self.allows_always |= other.allows_always;
    }
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [read, written] = [self.usage.input_tokens, self.usage.output_tokens].map(thousands);
        let (turns, calls) = (thousands(self.turns), thousands(self.calls));
        let cached = match self.usage.cached_input_tokens {
            0 => String::new(),
            cached => format!(" ({} of them from the cache)", thousands(cached)),
        };
        write!(
            f,
            "{read} tokens read{cached}, {written} written; model turns: {turns}, tool calls: {calls}; {}",
            text::time(self.time)
        )
    }
}

/// A run, and what it needs of the chat.
pub(super) struct Turn<'c> {
    view: &'c mut dyn View,
    input: &'c mut Input,
    signals: &'c mut Signals,
    used: Used,
    began: Instant,
    yes: YesArgument,
    /// Cancels the run.
    token: CancellationToken,
    /// Whether an event came before the user cancelled it.
    has_begun: bool,
    /// The questions that the user has, or left open.
    open: usize,
}

type Reply = oneshot::Sender<Option<Answer>>;

impl<'c> Turn<'c> {
    pub(super) fn new(
        view: &'c mut dyn View,
        input: &'c mut Input,
        signals: &'c mut Signals,
        yes: YesArgument,
    ) -> Self {
        Self {
            view,
            input,
            signals,
            used: Used::default(),
            began: Instant::now(),
            yes,
            token: CancellationToken::new(),
            has_begun: false,
            open: 0,
        }
    }

    /// Runs a request to its end, in the stored session with this id, if there is one. When the user leaves, it gets the end of its run first.
    ///
    /// # Errors
    /// Returns an error if the output fails.
    pub(super) async fn run(
        mut self,
        request: RunRequest,
        stored: Option<&str>,
    ) -> io::Result<(TurnEnd, Used)> {
        let (sender, mut questions) = mpsc::unbounded_channel::<(Question, Reply)>();
        let YesArgument { yes } = self.yes;
        let answerer = move |question: Question| {
            let is_allowed = yes && *question.kind() == QuestionKind::Approval;
            let (reply, answer) = oneshot::channel();
            if !is_allowed {
                // If the run has ended, the question stays open.
                let _ = sender.send((question, reply));
            }
            async move {
                if is_allowed { Some(Answer::Approval(Approval::Allow)) } else { answer.await.ok().flatten() }
            }
        };
        let mut run = request.answerer(answerer).cancellation(self.token.clone()).stream();
        let left = self.follow(&mut run, &mut questions, stored).await;
        self.used.time = self.began.elapsed();
        let left = match (left, self.view.end(self.used.time)) {
            (Ok(None), Err(error)) => Err(error),
            // A terminal that is gone shows no end.
            (left, _) => left,
        };
        let end = match left {
            Err(error) => {
                self.leave(run, questions, stored, true).await;
                return Err(error);
            }
            Ok(Some(signal)) => {
                self.leave(run, questions, stored, signal != INTERRUPT).await;
                TurnEnd::Left(signal)
            }
            Ok(None) => match run.output().await {
                Ok(_) if self.token.is_cancelled() => TurnEnd::AnsweredBefore,
                Ok(_) => TurnEnd::Answered,
                Err(RunError::Paused(paused)) => TurnEnd::Paused(paused),
                Err(RunError::Cancelled { .. }) if self.token.is_cancelled() => {
                    if self.has_begun || stored.is_none() { TurnEnd::Cancelled } else { TurnEnd::NotBegun }
                }
                Err(error) => TurnEnd::Failed(error),
            },
        };
        Ok((end, self.used))
    }

    /// Lets the run of a stored session write its end. A question stays open if it may wait.
    async fn leave(
        &self,
        run: RunStream,
        questions: mpsc::UnboundedReceiver<(Question, Reply)>,
        stored: Option<&str>,
        may_wait: bool,
    ) {
        if stored.is_none() {
            return;
        }
        let has_question = self.open > 0 || !questions.is_empty();
        // Nobody answers any more.
        drop(questions);
        last_work(run.output(), may_wait && has_question, &self.token).await;
    }

    /// Shows the run until it ends, or until the user leaves: then it gives the signal.
    async fn follow(
        &mut self,
        run: &mut RunStream,
        questions: &mut mpsc::UnboundedReceiver<(Question, Reply)>,
        stored: Option<&str>,
    ) -> io::Result<Option<u8>> {
        let mut frames = tokio::time::interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waits = pin!(sleep(NOTICED));
        // A run of a stored session waits for others, also of other programs, before its first event.
        let mut is_told = stored.is_none();
        loop {
            tokio::select! {
                biased;
                signal = self.signals.next() => {
                    if signal != INTERRUPT || self.token.is_cancelled() {
                        return Ok(Some(signal));
                    }
                    self.cancel();
                }
                _ = frames.tick() => self.view.show(self.began.elapsed())?,
                () = &mut waits, if !is_told => {
                    is_told = true;
                    if let Some(id) = stored.filter(|_| !self.has_begun) {
                        say(&format!("(waiting for another run of the session `{id}`; Ctrl-C ends the wait)"))?;
                    }
                }
                Some((question, reply)) = questions.recv() => {
                    self.open += 1;
                    if let Some(signal) = self.ask(&question, reply, run).await? {
                        return Ok(Some(signal));
                    }
                }
                event = run.next() => match event {
                    Some(event) => {
                        // One that is cancelled while it waits has an end too.
                        self.has_begun |= !self.token.is_cancelled();
                        self.update(&event)?;
                        lets_others().await;
                    }
                    None => return Ok(None),
                },
            }
        }
    }

    fn cancel(&mut self) {
        self.view.cancel();
        self.token.cancel();
    }

    fn update(&mut self, event: &Event) -> io::Result<()> {
        self.count(event);
        let now = self.began.elapsed();
        self.view.update(event, now);
        if self.view.is_immediate() { self.view.show(now) } else { Ok(()) }
    }

    fn count(&mut self, event: &Event) {
        if let EventKind::TurnFinished { usage, .. } = &event.kind {
            self.used.turns += 1;
            self.used.usage += *usage;
        } else if let EventKind::ToolStarted { .. } = &event.kind {
            self.used.calls += 1;
        }
    }

    /// Takes the events that are there: those that led to a question come before it.
    async fn catch_up(&mut self, run: &mut RunStream) -> io::Result<()> {
        for _ in 0..MOST_WAITING {
            tokio::select! {
                biased;
                Some(event) = run.next() => self.update(&event)?,
                () = std::future::ready(()) => break,
            }
        }
        Ok(())
    }

    /// Asks a question while the run goes on. Gives the signal by which the user leaves, if there is one.
    async fn ask(
        &mut self,
        question: &Question,
        mut reply: Reply,
        run: &mut RunStream,
    ) -> io::Result<Option<u8>> {
        if reply.is_closed() {
            self.open -= 1;
            return Ok(None);
        }
        self.catch_up(run).await?;
        self.view.pause(self.began.elapsed())?;
        let mut asking = Asking::new(question);
        say(&asking.text())?;
        drop_typed()?;
        let mut purpose = Use::Answer { choices: asking.editable_choices() };
        loop {
            let typed = match self.typed(&asking.prompt(), purpose, &mut reply, run).await {
                Ok(typed) => typed,
                Err(signal) => return Ok(Some(signal)),
            };
            purpose = Use::AnswerAgain;
            let answer = match typed {
                ReadLine::Line(_) if reply.is_closed() => None,
                ReadLine::Line(line) => match asking.read(&line) {
                    Ok(Some(answer)) => Some(answer),
                    Ok(None) => {
                        say(asking.more())?;
                        drop_typed()?;
                        continue;
                    }
                    Err(problem) => {
                        say(&questions::problem(&problem))?;
                        continue;
                    }
                },
                ReadLine::Refused(why) => {
                    say(&why)?;
                    continue;
                }
                ReadLine::Interrupted => {
                    self.cancel();
                    None
                }
                // The question stays open, and the run pauses.
                ReadLine::End | ReadLine::Failed(_) => None,
            };
            self.used.allows_always |= matches!(answer, Some(Answer::Approval(Approval::AllowAlways(_))));
            if answer.is_some() || reply.is_closed() {
                self.open -= 1;
            }
            let _ = reply.send(answer);
            return Ok(None);
        }
    }

    /// The next line, or the signal by which the user leaves. The run goes on meanwhile, and is not shown.
    async fn typed(
        &mut self,
        prompt: &str,
        purpose: Use,
        reply: &mut Reply,
        run: &mut RunStream,
    ) -> Result<ReadLine, u8> {
        let mut line = pin!(self.input.line(prompt, purpose));
        let (mut has_ended, mut is_closed) = (false, false);
        loop {
            tokio::select! {
                biased;
                signal = self.signals.next() => {
                    if signal != INTERRUPT || self.token.is_cancelled() {
                        return Err(signal);
                    }
                    self.cancel();
                }
                typed = &mut line => return Ok(typed),
                () = reply.closed(), if !is_closed => {
                    is_closed = true;
                    // The line is read already, and must not become an input or another answer.
                    self.input.print_above("the question is closed: the next line is dropped, press Enter");
                }
                event = run.next(), if !has_ended => match event {
                    Some(event) => {
                        self.count(&event);
                        self.view.update(&event, self.began.elapsed());
                        lets_others().await;
                    }
                    None => has_ended = true,
                },
            }
        }
    }
}

/// Gives way now and then: in a run whose next event is always there, signals, drawings and lines would wait for its end.
async fn lets_others() {
    tokio::task::consume_budget().await;
}

/// What was typed before a question is no answer to it.
fn drop_typed() -> io::Result<()> {
    match typeahead::set_aside() {
        Some(note) => say(&format!("({note})")),
        None => Ok(()),
    }
}

/// Writes a line.
pub(super) fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", terminal::fitted(line)).and_then(|()| out.flush())
}
