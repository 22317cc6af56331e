//! Questions for people: runs that pause, and go on with the answers.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests say what they expect")]

mod allowed_with;
#[path = "../shared/answers.rs"]
mod answers;
mod approvals;
mod asking;
mod between;
mod checked_again;
mod child_waits;
#[path = "../shared/cut.rs"]
mod cut;
mod elsewhere;
mod long_replays;
mod reached;
mod reads;
mod resumed;
mod retried;
mod support;
mod terminal;
