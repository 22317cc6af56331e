//! Signals that end a command.

// A thread of its own takes them: a tool or a file that blocks the thread of the command would keep the signal from being seen.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use onionskin_core::CancellationToken;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::failure::Failure;

/// Ctrl-C.
pub(crate) const INTERRUPT: u8 = 2;

/// How long the work of a command may take to end by itself: after a signal that ends it, and on other threads after the command.
pub(crate) const LAST_WORK: Duration = Duration::from_secs(1);

/// How long a signal may stay untaken after another one.
const MOMENT: Duration = Duration::from_millis(500);

/// The signals of a command. None is lost between two waits.
///
/// A command that cannot take them, because it is blocked, ends with the process: a second after a signal, or at once at the next one. The
/// same counts for a command that waits for no signals any more.
pub(crate) struct Signals {
    received: mpsc::UnboundedReceiver<u8>,
    /// Those that are sent and not taken.
    untaken: Arc<AtomicUsize>,
}

impl Signals {
    /// Begins to take signals. From now on the system does not end the process by them. `leave` is called before the process is ended for
    /// a command that cannot end by itself. The first Ctrl-C leaves such a command alone if `can_cancel`, the next one ends it. The end of the
    /// terminal is a signal too if the command talks with a person there.
    pub(crate) fn take(can_cancel: bool, has_person: bool, leave: impl FnOnce() + Send + 'static) -> Self {
        let (sender, received) = mpsc::unbounded_channel();
        let untaken = Arc::new(AtomicUsize::new(0));
        let watch = Watch { sender, untaken: Arc::clone(&untaken), can_cancel, has_person, end: None };
        let (begins, has_begun) = std::sync::mpsc::channel();
        // Without the thread, the system ends the process at a signal.
        let _ = thread::Builder::new().name("onionskin-signals".to_owned()).spawn(move || {
            if let Some(signal) = watch.run(begins) {
                leave();
                std::process::exit(128 + i32::from(signal));
            }
        });
        // An editor of lines sets back the handlers that it found.
        let _ = has_begun.recv();
        Self { received, untaken }
    }

    /// The number of the next signal.
    ///
    /// Cancel safety: a dropped wait loses none.
    pub(crate) async fn next(&mut self) -> u8 {
        match self.received.recv().await {
            Some(number) => {
                self.untaken.fetch_sub(1, Ordering::SeqCst);
                number
            }
            None => std::future::pending().await,
        }
    }

    /// Runs a part of the command until it ends, or until a signal comes. The future is dropped then, and with it what it runs.
    pub(crate) async fn until<T>(
        &mut self,
        command: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            signal = self.next() => Err(Failure::interrupted(signal)),
            done = command => done,
        }
    }
}

/// Runs a command until it ends, or until Ctrl-C or the signal that ends services comes. The future is dropped then, and with it what it
/// runs.
pub(crate) async fn until_signal<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    Signals::take(false, false, || ()).until(command).await
}

/// Lets the run of a stored session write its end. With an open question, it may pause by itself before it is cancelled.
pub(crate) async fn last_work(run: impl Future, has_question: bool, token: &CancellationToken) {
    let (mut run, end) = (pin!(run), Instant::now() + LAST_WORK);
    if has_question && timeout_at(end - LAST_WORK / 2, &mut run).await.is_ok() {
        return;
    }
    token.cancel();
    let _ = timeout_at(end, run).await;
}

/// What the thread knows.
struct Watch {
    sender: mpsc::UnboundedSender<u8>,
    untaken: Arc<AtomicUsize>,
    can_cancel: bool,
    has_person: bool,
    /// When the process ends if the command does not take this signal.
    end: Option<(Instant, u8)>,
}

impl Watch {
    /// Passes signals on. Gives the signal by which the process has to end; none if signals cannot be handled.
    fn run(mut self, begins: std::sync::mpsc::Sender<()>) -> Option<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async {
            let mut handlers = Handlers::begin(self.has_person);
            drop(begins);
            loop {
                let ends = self.end;
                tokio::select! {
                    biased;
                    signal = handlers.next() => {
                        if self.pass_on(signal) {
                            return Some(signal);
                        }
                    }
                    () = until(ends) => {
                        let (_, signal) = self.end.take()?;
                        if self.sender.is_closed() || self.untaken.load(Ordering::SeqCst) > 0 {
                            return Some(signal);
                        }
                    }
                }
            }
        })
    }

    /// Passes a signal on; true if the command is past taking it.
    fn pass_on(&mut self, signal: u8) -> bool {
        let before = self.untaken.fetch_add(1, Ordering::SeqCst);
        if self.sender.send(signal).is_err() {
            return true;
        }
        let wait = match before {
            0 if self.can_cancel && signal == INTERRUPT => return false,
            0 => LAST_WORK,
            // The system joins signals, and a busy command takes them one after the other.
            _ => MOMENT,
        };
        let end = Instant::now() + wait;
        let sooner = self.end.map_or(end, |(earlier, _)| earlier.min(end));
        self.end = Some((sooner, signal));
        false
    }
}

async fn until(end: Option<(Instant, u8)>) {
    match end {
        Some((end, _)) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}

/// The signals that the process handles.
struct Handlers(mpsc::UnboundedReceiver<u8>);

impl Handlers {
    /// The end of the terminal is one of them only `with_terminal`.
    #[cfg(unix)]
    fn begin(with_terminal: bool) -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        let (sender, receiver) = mpsc::unbounded_channel();
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        if with_terminal {
            kinds.push(SignalKind::hangup());
        }
        for kind in kinds {
            // One that cannot be handled ends the process, as without the handler.
            let Ok(mut signals) = signal(kind) else { continue };
            let sender = sender.clone();
            let number = u8::try_from(kind.as_raw_value()).unwrap_or(INTERRUPT);
            tokio::spawn(
                async move { while signals.recv().await.is_some() && sender.send(number).is_ok() {} },
            );
        }
        Self(receiver)
    }

    #[cfg(not(unix))]
    fn begin(_: bool) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() && sender.send(INTERRUPT).is_ok() {}
        });
        Self(receiver)
    }

    async fn next(&mut self) -> u8 {
        match self.0.recv().await {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }
}
