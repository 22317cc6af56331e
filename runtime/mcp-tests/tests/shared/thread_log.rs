//! What is logged on the thread of a test.

use super::logged::Logged;

/// Keeps what is logged on this thread at this level and above.
pub(crate) fn keep(level: tracing::Level) -> (Logged, tracing::subscriber::DefaultGuard) {
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone());
    (logged, tracing::subscriber::set_default(subscriber.finish()))
}
