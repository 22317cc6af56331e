//! The data of a call that few calls need. It is allocated on first use.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::ToolContext;
use super::call_stages::CallStages;
use super::permits::CallPermit;
use super::questions::{QuestionNames, Waited};
use super::run::CallToken;
use super::start::Starts;
use crate::event::HookExit;
use crate::session::Transcript;
use crate::state::SessionState;
use onionskin_definitions::args::Args;
use onionskin_definitions::lock::lock;

/// Data of a call that is allocated on first use.
#[derive(Default)]
pub(super) struct Extra {
    pub(super) data: Mutex<Data>,
    pub(super) token: OnceLock<CallToken>,
    /// The call's permit among concurrent calls.
    pub(super) permit: CallPermit,
}

/// The data of a call.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are facts of a call, which do not exclude each other"
)]
pub(super) struct Data {
    /// Numbers the clock, sleep and random steps of the call, outside its own step.
    pub(super) reads: u32,
    /// The same inside an attempt's step.
    pub(super) reads_in_step: u32,
    pub(super) transcript: Option<Transcript>,
    pub(super) stages: CallStages,
    pub(super) starts: Starts,
    /// Whether the `timeout` applies to a layer inside the one that checks this.
    pub(super) timeout_is_inner: bool,
    /// Whether work of this call still runs without a caller.
    pub(super) runs_on: bool,
    /// Whether this call aborted its run.
    pub(super) aborted: bool,
    /// The states of the running tool values, the innermost last.
    pub(super) bound: Vec<SessionState>,
    /// The arguments of the attempt and their hash, for a person who has to resolve a call in doubt.
    pub(super) attempt_args: Option<(Args, String)>,
    /// The current arguments, if they differ from those with which the call started.
    pub(super) reached: Option<Arc<str>>,
    /// Whether the call is in doubt.
    pub(super) in_doubt: bool,
    /// Whether the call counts towards `max_calls`.
    pub(super) is_admitted: bool,
    /// The questions of the call.
    pub(super) question_names: QuestionNames,
    /// The time that the call waited for answers.
    pub(super) waited: Waited,
    /// The number of questions that the current start of a function with the effect `Once` has reached.
    pub(super) segment: u32,
    /// Whether the call waits for an answer that this run will not receive.
    pub(super) is_open: bool,
    /// How the tool's own hooks left the call, if this is collected.
    pub(super) hooks: Option<Vec<HookExit>>,
}

impl ToolContext {
    pub(super) fn extra(&self) -> &Arc<Extra> {
        self.extra.get_or_init(Arc::default)
    }

    /// Accesses the data of the call. `with` holds the lock, so it must not use a context.
    pub(super) fn data<T>(&self, with: impl FnOnce(&mut Data) -> T) -> T {
        with(&mut lock(&self.extra().data))
    }

    /// As [`Self::data`], without allocating; `None` if there is no data yet.
    pub(super) fn data_if_any<T>(&self, with: impl FnOnce(&mut Data) -> T) -> Option<T> {
        self.extra.get().map(|extra| with(&mut lock(&extra.data)))
    }

    /// A context of the same call for an attempt on another thread. The caller that waits for the attempt
    /// cancels its token, and so does this context's token.
    pub(crate) fn to_owned_attempt(&self) -> Self {
        let own = self.data(|data| Data {
            reads: data.reads,
            reads_in_step: data.reads_in_step,
            starts: data.starts,
            bound: data.bound.clone(),
            reached: data.reached.clone(),
            ..Data::default()
        });
        let token = CallToken { token: self.cancellation().child_token(), owner: false };
        let own = Extra { data: Mutex::new(own), token: token.into(), ..Extra::default() };
        Self {
            run: self.run.clone(),
            entry: Arc::clone(&self.entry),
            call_id: Arc::clone(&self.call_id),
            turn: self.turn,
            call_number: self.call_number,
            attempt: AtomicU32::new(self.attempt.load(Ordering::Relaxed)),
            number: self.number,
            arguments: self.arguments.clone(),
            depth: AtomicU8::new(self.depth.load(Ordering::Relaxed)),
            last_start: AtomicU8::new(self.last_start.load(Ordering::Relaxed)),
            extra: Arc::new(own).into(),
        }
    }

    /// Starts collecting how the tool's own hooks leave this call.
    pub(crate) fn log_hooks(&self) {
        self.data(|data| _ = data.hooks.get_or_insert_default());
    }

    pub(crate) fn log_hook(&self, exit: impl FnOnce() -> HookExit) {
        if self.run.events().are_read() {
            self.log_hooks();
        }
        if self.data_if_any(|data| data.hooks.is_some()).unwrap_or(false) {
            let exit = exit();
            self.data(|data| data.hooks.get_or_insert_default().push(exit));
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Stores a child's conversation, which the loop merges at the end of the batch.
    pub fn keep_transcript(&self, transcript: Transcript) {
        self.data(|data| data.transcript = Some(transcript));
    }

    pub fn take_transcript(&self) -> Option<Transcript> {
        self.data_if_any(|data| data.transcript.take())?
    }

    /// Accesses the call's record of its stages.
    pub fn stages<T>(&self, with: impl FnOnce(&mut CallStages) -> T) -> T {
        self.data(|data| with(&mut data.stages))
    }

    pub fn take_hook_log(&mut self) -> Vec<HookExit> {
        self.data_if_any(|data| data.hooks.take()).flatten().unwrap_or_default()
    }
}
