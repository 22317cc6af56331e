//! The name of a step: its position in the run, independent of time.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepKind {
    /// The run itself: its start and its end. Only events have this kind; no such step is recorded.
    Run,
    /// One answer of the model.
    Model,
    /// The innermost part of a tool call.
    Tool,
    /// The start of the function of a tool with the effect `Once`.
    Begin,
    /// A wait.
    Timer,
    /// A clock reading.
    Clock,
    /// A random number.
    Random,
    /// The system prompt of a turn, if it can differ between turns: with a source, the clock, or placeholders
    /// for states.
    Prompt,
    /// A model's answer to a turn hook (`TurnRequest::ask_model`). The attempt is the number of the question
    /// in the turn.
    Aside,
    /// The answer to a question for a person ([`Question`](crate::question::Question)).
    Ask,
    /// A value that a hook or a tool recorded ([`ToolContext::record`](crate::ToolContext::record)).
    Value,
    /// The reads and changes of states after another step, by the code of hooks, prompts or a hand-written
    /// loop. Code that reads no state has no such step.
    States,
}

impl StepKind {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Model => "model",
            Self::Prompt => "prompt",
            Self::Tool => "tool",
            Self::Begin => "begin",
            Self::Timer => "timer",
            Self::Clock => "clock",
            Self::Random => "random",
            Self::Aside => "aside",
            Self::Ask => "ask",
            Self::Value => "value",
            Self::States => "states",
        }
    }
}

/// The name of a step, for example `turn 3/call 2/tool search`. It does not depend on time, so a replay
/// creates the same names. Its text is the same in all versions.
///
/// ```
/// use onionskin::journal::{StepId, StepKind};
/// let id = StepId::new(StepKind::Tool, "search").in_turn(3, Some(2));
/// assert_eq!(id.to_string(), "turn 3/call 2/tool search");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepId {
    pub(crate) scope: Arc<str>,
    pub(crate) turn: u32,
    pub(crate) kind: StepKind,
    #[serde(rename = "call")]
    pub(crate) call_number: Option<u32>,
    pub(crate) name: Arc<str>,
    pub(crate) attempt: u32,
}

impl StepId {
    /// Creates a step before the first turn of an outermost run.
    pub fn new(kind: StepKind, name: &str) -> Self {
        Self { scope: Arc::from(""), turn: 0, kind, call_number: None, name: Arc::from(name), attempt: 0 }
    }

    /// Places the step in a turn, and in a call of it. Both are counted from 1.
    #[must_use]
    pub fn in_turn(self, turn: u32, call_number: Option<u32>) -> Self {
        Self { turn, call_number, ..self }
    }

    /// The step that records the reads of the code `before`, `in` or `after` this step (`place`).
    pub(crate) fn state(self, place: &str) -> Self {
        let name = format!("{place} {} {}", self.kind.word(), self.name);
        Self { kind: StepKind::States, name: name.trim_end().into(), ..self }
    }

    /// The step that began this run; empty for the outermost run.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The model turn, counted from 1; 0 before the first turn.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The kind of step.
    pub fn kind(&self) -> StepKind {
        self.kind
    }

    /// The number of the call in its turn, counted from 1; `None` if the step belongs to no call.
    pub fn call_number(&self) -> Option<u32> {
        self.call_number
    }

    /// The name of the tool, or of another subject of the step.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the attempt, counted from 1; 0 for the call as a whole.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }
}

/// A borrowed [`StepId`], which becomes owned only in an event or a record.
#[derive(Clone, Copy)]
pub struct StepRef<'s> {
    /// The path of steps to the run.
    pub scope: &'s Arc<str>,
    /// The turn; 0 before the first one.
    pub turn: u32,
    /// The kind of step.
    pub kind: StepKind,
    /// The number of the call in its turn, counted from 1.
    pub call_number: Option<u32>,
    /// What it is a step of.
    pub name: Option<&'s Arc<str>>,
    /// The attempt.
    pub attempt: u32,
}

impl StepRef<'_> {
    /// The owned step id.
    pub fn to_id(self) -> StepId {
        let Self { scope, turn, kind, call_number, name, attempt } = self;
        StepId {
            scope: Arc::clone(scope),
            turn,
            kind,
            call_number,
            name: name.cloned().unwrap_or_default(),
            attempt,
        }
    }

    /// Whether it is the same step. It ignores the name, which follows from the rest, because a secret may be
    /// redacted in one of the two.
    pub(crate) fn is(self, id: &StepId) -> bool {
        (self.turn, self.kind, self.call_number, self.attempt)
            == (id.turn, id.kind, id.call_number, id.attempt)
            && **self.scope == *id.scope
    }
}

impl From<StepRef<'_>> for StepId {
    fn from(step: StepRef<'_>) -> Self {
        step.to_id()
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scope.is_empty() {
            write!(f, "{}/", self.scope)?;
        }
        write!(f, "turn {}/", self.turn)?;
        if let Some(number) = self.call_number {
            write!(f, "call {number}/")?;
        }
        f.write_str(self.kind.word())?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        if self.attempt > 1 {
            write!(f, "#{}", self.attempt)?;
        }
        Ok(())
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl StepId {
    /// The same step of the run in this scope.
    #[must_use]
    pub fn in_scope(self, scope: Arc<str>) -> Self {
        Self { scope, ..self }
    }

    /// The same step in this attempt.
    #[must_use]
    pub fn in_attempt(self, attempt: u32) -> Self {
        Self { attempt, ..self }
    }

    pub fn as_step(&self) -> StepRef<'_> {
        let Self { scope, turn, kind, call_number, name, attempt } = self;
        StepRef {
            scope,
            turn: *turn,
            kind: *kind,
            call_number: *call_number,
            name: Some(name),
            attempt: *attempt,
        }
    }
}
