//! Questions for people: runs that pause, and go on with the answers.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]
#![allow(clippy::needless_pass_by_value, reason = "tools and hooks are written as users write them")]

mod allowed_with;
mod approvals;
mod asked;
mod between;
mod checked_again;
mod elsewhere;
mod long_replays;
mod reached;
mod reads;
mod resumed;
mod retried;
mod support;
mod terminal;
