//! Shows a run while it is in progress.

mod live;
mod markdown;
mod plain;
mod rows;
#[cfg(test)]
mod tests;
mod transcript;

use std::io;
use std::time::Duration;

use onionskin_core::event::Event;

pub(super) use live::Live;
pub(super) use plain::Plain;

use super::tree;

/// Shows the events of one run.
pub(super) trait View {
    /// Takes an event. It is shown with the next [`show`](Self::show).
    fn update(&mut self, event: &Event, now: Duration);

    /// Shows the events since the last call.
    fn show(&mut self, now: Duration) -> io::Result<()>;

    /// Whether each event is shown at once: else `show` is called now and then.
    fn is_immediate(&self) -> bool {
        false
    }

    /// Notes that the user cancelled the run: what its agent still says is not shown.
    fn cancel(&mut self);

    /// Leaves the terminal to a question: shows the events so far, and puts the cursor at the beginning of a line.
    fn pause(&mut self, now: Duration) -> io::Result<()>;

    /// As [`pause`](Self::pause), for good.
    fn end(&mut self, now: Duration) -> io::Result<()>;
}
