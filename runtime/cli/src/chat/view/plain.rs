//! A run as lines, without a terminal: each change is one.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use onionskin_core::definition::ToolSource;
use onionskin_core::event::{CallOutcome, Event, EventKind};

use crate::calls;
use crate::text;

use super::View;
use super::transcript::{Piece, Transcript};
use super::tree::{Tree, call_of};

/// The characters of arguments and results.
const LONGEST: usize = 200;

/// The time between two lines about the progress of a call.
const PROGRESS: Duration = Duration::from_secs(1);

pub(in crate::chat) struct Plain<W> {
    out: W,
    tree: Tree,
    transcript: Transcript,
    /// Calls of agents that have not begun their run: whether it is shown is not known yet.
    agents: HashMap<String, String>,
    /// The calls in progress that are shown: their tools, and the times of the last lines about them.
    calls: HashMap<String, (String, Option<Duration>)>,
}

impl<W: Write> Plain<W> {
    pub(in crate::chat) fn new(out: W) -> Self {
        Self {
            out,
            tree: Tree::default(),
            transcript: Transcript::default(),
            agents: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// The line of an event of a run that is shown.
    fn line_of(&mut self, event: &Event, now: Duration) -> Option<String> {
        let agent = text::line(&event.agent, 60);
        let step = || event.step.to_string();
        Some(match &event.kind {
            EventKind::RunStarted { .. } => {
                let arguments = self.agents.remove(event.step.scope())?;
                format!("{agent} begins {arguments}")
            }
            EventKind::ToolStarted { tool, source, arguments, .. } => {
                let (tool, arguments) = (text::line(tool, LONGEST), text::line(arguments, LONGEST));
                self.calls.insert(step(), (tool.clone(), None));
                if *source == Some(ToolSource::Agent) {
                    self.agents.insert(step(), arguments);
                    return None;
                }
                format!("{agent} calls {tool} {arguments}")
            }
            EventKind::ToolFinished { tool, outcome, content, duration, error_chain, .. } => {
                self.agents.remove(&step());
                // A call whose run is hidden is not in `calls`.
                self.calls.remove(&step())?;
                let said = calls::said(*outcome, content, error_chain);
                let how = match outcome {
                    CallOutcome::Ok => ":",
                    CallOutcome::Stop => " stops the run:",
                    CallOutcome::Abort => " aborts the run:",
                    CallOutcome::Paused => " waits for an answer",
                    CallOutcome::Error(_) => " fails:",
                };
                let (tool, said) = (text::line(tool, LONGEST), text::line(&said, LONGEST));
                let line = format!("{agent} {tool}{how} {said}");
                format!("{} ({})", line.trim_end(), text::time(*duration))
            }
            EventKind::Progress { done, total, message, .. } => {
                let tool = self.reporting(&step(), now)?;
                let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let message = message.as_deref().filter(|message| !message.is_empty());
                let message = message.map(|message| format!(": {}", text::line(message, LONGEST)));
                format!("{agent} {tool}: {done}{total}{}", message.unwrap_or_default())
            }
            EventKind::User { value, .. } => {
                let tool = self.reporting(&step(), now)?;
                format!("{agent} {tool}: {}", text::line(&value.to_string(), LONGEST))
            }
            EventKind::RunFinished { .. } => self.ended(event, &agent, "ends", now),
            EventKind::RunPaused { .. } => self.ended(event, &agent, "waits for an answer", now),
            EventKind::RunFailed { .. } => self.ended(
                event,
                &agent,
                if self.tree.is_cancelled() { "is cancelled" } else { "fails" },
                now,
            ),
            EventKind::TurnStarted { .. }
            | EventKind::TextDelta { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::PrefixChanged { .. }
            | EventKind::TurnFinished { .. }
            | EventKind::Notice { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::ArgumentsChanged { .. }
            | _ => return None,
        })
    }

    fn ended(&self, event: &Event, agent: &str, how: &str, now: Duration) -> String {
        let scope = event.step.scope();
        let tokens = text::counted(self.tree.usage(scope).total(), "token");
        let mut line = format!("{agent} {how} ({}, {tokens})", text::time(self.tree.time(scope, now)));
        for (child, more) in self.tree.more(scope) {
            line.push_str(&format!("; and {more} more {}", text::line(child, 60)));
        }
        line
    }

    /// The tool of a call that reports something, if a line about it is due.
    fn reporting(&mut self, step: &str, now: Duration) -> Option<&str> {
        let (tool, last) = self.calls.get_mut(call_of(step))?;
        if last.is_some_and(|last| now.saturating_sub(last) < PROGRESS) {
            return None;
        }
        *last = Some(now);
        Some(tool)
    }
}

impl<W: Write> View for Plain<W> {
    fn update(&mut self, event: &Event, now: Duration) {
        let scope = event.step.scope();
        // The tree forgets a run that is not shown at its end.
        let was_shown = self.tree.shows(scope);
        self.tree.update(event, now);
        let shown = was_shown && self.tree.shows(scope);
        self.transcript.update(event, shown);
        if !shown {
            self.agents.remove(scope);
            self.calls.remove(scope);
            return;
        }
        if let Some(line) = self.line_of(event, now) {
            self.transcript.line(&line);
        }
    }

    fn show(&mut self, _: Duration) -> io::Result<()> {
        let fresh = self.transcript.take();
        if fresh.is_empty() {
            return Ok(());
        }
        for piece in fresh {
            if let Piece::Said(text) | Piece::Note(text) = piece {
                self.out.write_all(text.as_bytes())?;
            }
        }
        self.out.flush()
    }

    fn cancel(&mut self) {
        self.tree.cancel();
        self.transcript.mute();
    }

    fn is_immediate(&self) -> bool {
        true
    }

    fn pause(&mut self, now: Duration) -> io::Result<()> {
        self.transcript.end_line();
        self.show(now)
    }

    fn end(&mut self, now: Duration) -> io::Result<()> {
        self.pause(now)
    }
}
