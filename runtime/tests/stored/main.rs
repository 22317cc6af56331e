//! Stored sessions: what a run stores, and what another process finds.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
mod deep;
mod directory;
mod ended_waits;
mod faults;
mod faults_of_runs;
#[cfg(unix)]
mod killed;
mod pauses;
mod runs;
mod two_processes;
#[path = "../shared/unanswered.rs"]
mod unanswered;
mod usage;
