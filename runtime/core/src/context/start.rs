//! The number of starts of a call's tool, and effects that must occur once only.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ToolContext;
use super::timed;
use crate::definition::ToolSource;
use crate::definition::{Effect, refused_by};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::{InDoubt, StepId, StepKind};

impl ToolContext {
    /// How often the tool itself was started for this call; 0 before the first start. It stays 0 if a hook, a
    /// guardrail, a cache or an approver answered or refused the call, or if the arguments were invalid.
    pub fn attempt(&self) -> u32 {
        let attempt = self.attempt.load(Ordering::Relaxed);
        let starts_inside = self.entry().starts_inside;
        match &*self.rare.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(rare) => {
                let started = if starts_inside { rare.started.load(Ordering::Relaxed) } else { attempt };
                started.saturating_sub(rare.refused.load(Ordering::Relaxed))
            }
            None if starts_inside => 0,
            None => attempt,
        }
    }

    /// As [`Self::attempt`], for a call without rare data, as most calls are; `None` for other calls.
    pub(crate) fn plain_attempts(&mut self) -> Option<u32> {
        let starts_inside = self.entry().starts_inside;
        match self.rare.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Some(_) => None,
            None if starts_inside => Some(0),
            None => Some(*self.attempt.get_mut()),
        }
    }

    /// How often the call reached the tool with its declared hooks and stages. The number is the same in a replay,
    /// whatever the journal answered.
    pub(crate) fn tries(&self) -> u32 {
        let attempt = self.attempt.load(Ordering::Relaxed);
        match self.rarely() {
            Some(rare) => {
                let all = attempt + rare.again.load(Ordering::Relaxed);
                all.max(rare.inside.load(Ordering::Relaxed))
            }
            None => attempt,
        }
    }

    pub(crate) fn start_attempt(&self) {
        self.attempt.fetch_add(1, Ordering::Relaxed);
    }

    /// Begins an attempt of a tool value with its own hooks.
    pub(crate) fn start_behind_hooks(&self) {
        self.rare().starts.store(0, Ordering::Relaxed);
    }

    /// Counts a start of the tool by its value's own hooks. The first start of an attempt is counted where the attempt
    /// begins, because repeats by a tool's own hooks are one step of the run.
    pub(crate) fn start_by_hooks(&self) {
        let rare = self.rare();
        if rare.starts.fetch_add(1, Ordering::Relaxed) > 0 {
            rare.again.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a start of the tool inside its declared hooks.
    pub(crate) fn start_inside(&self) {
        self.rare().inside.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs the function of the tool under its own name `tool`, with its `timeout`. Hooks, approval, cache and
    /// guardrails ran before. A function with the effect `Once` does not run if an earlier run left it in doubt.
    pub(crate) async fn start<F>(&self, tool: &str, call: F) -> ToolResult
    where
        F: Future<Output = ToolResult> + Send,
    {
        if self.entry().starts_inside {
            self.rare().started.fetch_add(1, Ordering::Relaxed);
        }
        let result = match self.begin().await {
            Ok(()) => timed(self, call).await,
            Err(exit) => {
                self.start_came_to_nothing();
                Err(exit)
            }
        };
        if let Err(exit) = &result {
            self.note_refused(tool, exit);
        }
        result
    }

    /// Records that a function did not run because of invalid arguments.
    pub(crate) fn note_refused(&self, tool: &str, exit: &Exit) {
        if refused_by(tool, exit).is_some() {
            self.start_came_to_nothing();
        }
    }

    #[cold]
    fn start_came_to_nothing(&self) {
        self.rare().refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the starts of an attempt that a journal answered.
    pub(crate) fn recall_starts(&self, starts: u32) {
        if self.entry().starts_inside {
            self.rare().started.fetch_add(starts, Ordering::Relaxed);
        } else if starts == 0 {
            self.start_came_to_nothing();
        }
    }

    /// Records the beginning of a function with the effect `Once`. If there is such a record and no result, the
    /// function may have taken effect. An agent runs again, because the steps of its run are recorded one by one.
    async fn begin(&self) -> ToolResult<()> {
        let may_repeat = self.definition().effect != Effect::Once || self.source() == ToolSource::Agent;
        if may_repeat || self.run().journal().is_none() {
            return Ok(());
        }
        let is_first = AtomicBool::new(false);
        let id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Begin) };
        let begun = async || {
            is_first.store(true, Ordering::Relaxed);
            true
        };
        self.run().step(id, begun).await;
        if is_first.load(Ordering::Relaxed) {
            return Ok(());
        }
        let doubt = InDoubt { tool: self.tool_name().to_owned(), run_id: self.run().run_id().to_owned() };
        Err(Exit::Tool(ToolError::from_source(doubt).with_kind(ErrorKind::InDoubt)))
    }
}
