//! Shows what hooks and scripts log.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// The ready hooks, and what scripts print.
const SHOWN: [&str; 2] = ["onionskin_core::hooks", "onionskin_rhai"];

/// Writes the lines of hooks and scripts, and all warnings, to standard error. A subscriber that the program has installed stays.
pub(crate) fn show() {
    let targets = Targets::new().with_default(LevelFilter::WARN);
    write(targets.with_targets(SHOWN.map(|target| (target, LevelFilter::DEBUG))));
}

/// Writes errors alone: a server refers its clients to them. The protocol library calls it an error that a client has gone.
#[cfg(feature = "serve")]
pub(crate) fn show_errors() {
    write(Targets::new().with_default(LevelFilter::ERROR).with_target("rmcp", LevelFilter::OFF));
}

fn write(targets: Targets) {
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    let lines = lines.without_time().with_target(false).with_filter(targets);
    let _ = tracing_subscriber::registry().with(lines).try_init();
}
