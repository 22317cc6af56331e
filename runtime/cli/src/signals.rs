//! Signals that end a command.

use std::future::Future;

use crate::failure::Failure;

/// Runs a command until it ends, or until Ctrl-C or the signal that ends services comes. The future is dropped then, and with it what it
/// runs.
pub(crate) async fn until_signal<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::select! {
        biased;
        signal = interrupted() => Err(Failure::interrupted(signal)),
        done = command => done,
    }
}

/// Waits for Ctrl-C, or for the signal by which services are ended; gives its number.
pub(crate) async fn interrupted() -> u8 {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            return tokio::select! {
                () = ctrl_c() => 2,
                _ = ended.recv() => 15,
            };
        }
    }
    ctrl_c().await;
    2
}

async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        // The system then ends the program itself.
        std::future::pending::<()>().await;
    }
}
