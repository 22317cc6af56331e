//! Signals while the chat runs. None is lost between two waits.

use tokio::sync::mpsc;

/// Ctrl-C.
pub(super) const INTERRUPT: u8 = 2;

pub(super) struct Signals(mpsc::UnboundedReceiver<u8>);

impl Signals {
    /// Begins to take signals. From now on they do not end the process.
    pub(super) fn take() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};

            for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
                // One that cannot be taken ends the process, as without a chat.
                let Ok(mut signals) = signal(kind) else { continue };
                let (sender, number) =
                    (sender.clone(), u8::try_from(kind.as_raw_value()).unwrap_or(INTERRUPT));
                tokio::spawn(async move {
                    while signals.recv().await.is_some() && sender.send(number).is_ok() {}
                });
            }
        }
        #[cfg(not(unix))]
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() && sender.send(INTERRUPT).is_ok() {}
        });
        Self(receiver)
    }

    /// The number of the next signal.
    ///
    /// Cancel safety: a dropped wait loses none.
    pub(super) async fn next(&mut self) -> u8 {
        match self.0.recv().await {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }
}
