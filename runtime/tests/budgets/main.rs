//! Budgets that runs, children, sessions and users share.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_self, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
#[path = "../shared/cut.rs"]
mod cut;
#[path = "../shared/unanswered.rs"]
mod unanswered;

mod calls;
mod crashes;
mod errors;
mod parallel;
mod requests;
mod scopes;
mod settling;
mod stores;
mod support;
