//! Sends messages to a server one after the other, as fast as it reads.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::pending::Pending;

/// A server with more unread answers to its own requests is assumed never to read them.
const REPLIES: usize = 256;

/// The way to a server's input, which closes with it.
pub(super) struct Outbox {
    queue: mpsc::UnboundedSender<Outgoing>,
    /// Answers to the server's requests that are not written yet.
    replies: Arc<AtomicUsize>,
    fault: Fault,
}

/// The same way, which it does not keep open.
pub(super) struct WeakOutbox {
    queue: mpsc::WeakUnboundedSender<Outgoing>,
    replies: Arc<AtomicUsize>,
    fault: Fault,
}

impl WeakOutbox {
    /// The way, if it is still open.
    pub(super) fn upgrade(&self) -> Option<Outbox> {
        let queue = self.queue.upgrade()?;
        Some(Outbox { queue, replies: Arc::clone(&self.replies), fault: self.fault.clone() })
    }
}

struct Outgoing {
    text: Vec<u8>,
    /// The request that it is, which may be given up before it is written.
    request: Option<RequestId>,
    /// None for a reply.
    written: Option<oneshot::Sender<io::Result<()>>>,
}

impl Outbox {
    /// Writes on a task of its own. A server that takes nothing for as long as `patience` is ended.
    pub(super) fn new(
        stream: impl AsyncWrite + Send + Unpin + 'static,
        patience: Duration,
        pending: Pending,
        fault: Fault,
    ) -> Self {
        let (queue, messages) = mpsc::unbounded_channel();
        let replies = Arc::default();
        tokio::spawn(write(stream, messages, Arc::clone(&replies), patience, pending, fault.clone()));
        Self { queue, replies, fault }
    }

    /// Sends a message of our own. A request that is given up before its turn is left out.
    pub(super) fn send(
        &self,
        text: Vec<u8>,
        request: Option<RequestId>,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (written, done) = oneshot::channel();
        let _ = self.queue.send(Outgoing { text, request, written: Some(written) });
        async { done.await.unwrap_or_else(|_| Err(io::ErrorKind::NotConnected.into())) }
    }

    pub(super) fn downgrade(&self) -> WeakOutbox {
        let queue = self.queue.downgrade();
        WeakOutbox { queue, replies: Arc::clone(&self.replies), fault: self.fault.clone() }
    }

    /// Answers a request of the server.
    pub(super) fn reply(&self, text: Vec<u8>) {
        if self.replies.fetch_add(1, Ordering::Relaxed) >= REPLIES {
            let how =
                format!("it sent more than {REPLIES} requests without reading the answers, and was ended");
            self.fault.end(how);
            return;
        }
        let _ = self.queue.send(Outgoing { text, request: None, written: None });
    }
}

async fn write(
    mut stream: impl AsyncWrite + Unpin,
    mut messages: mpsc::UnboundedReceiver<Outgoing>,
    replies: Arc<AtomicUsize>,
    patience: Duration,
    pending: Pending,
    fault: Fault,
) {
    while let Some(Outgoing { text, request, written }) = messages.recv().await {
        if written.is_none() {
            replies.fetch_sub(1, Ordering::Relaxed);
        }
        if request.is_some_and(|id| !pending.holds(&id)) {
            continue;
        }
        let result = tokio::select! {
            biased;
            result = all(&mut stream, &text, patience) => result,
            () = fault.raised() => return,
        };
        if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            fault.end(format!("it read none of its messages for {patience:?}, and was ended"));
            return;
        }
        if let Some(written) = written {
            let _ = written.send(result);
        }
    }
    let _ = stream.shutdown().await;
}

/// Writes all of it, if every piece is taken in time.
async fn all(stream: &mut (impl AsyncWrite + Unpin), mut text: &[u8], patience: Duration) -> io::Result<()> {
    while !text.is_empty() {
        let piece = &text[..text.len().min(32 << 10)];
        tokio::time::timeout(patience, stream.write_all(piece)).await??;
        text = &text[piece.len()..];
    }
    tokio::time::timeout(patience, stream.flush()).await?
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::sync::Notify;

    use super::*;

    fn outbox(room: usize) -> (Outbox, tokio::io::DuplexStream, Pending, Fault) {
        let (ours, theirs) = tokio::io::duplex(room);
        let (pending, fault) = (Pending::default(), Fault::new(Arc::new(Notify::new())));
        let outbox = Outbox::new(ours, Duration::from_secs(30), pending.clone(), fault.clone());
        (outbox, theirs, pending, fault)
    }

    #[tokio::test(start_paused = true)]
    async fn a4_a_server_that_does_not_read_is_ended_and_one_that_reads_slowly_is_not() {
        let (outbox, mut server, _, fault) = outbox(1 << 10);
        let slow = outbox.send(vec![b'x'; 64 << 10], None);
        let reads = async {
            let mut piece = vec![0; 16 << 10];
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(10)).await;
                server.read_exact(&mut piece).await.unwrap();
            }
        };
        let (slow, ()) = tokio::join!(slow, reads);
        slow.unwrap();
        assert!(outbox.send(vec![b'x'; 64 << 10], None).await.is_err());
        assert_eq!(&*fault.how().unwrap(), "it read none of its messages for 30s, and was ended");
    }

    #[tokio::test]
    async fn a4_a_request_that_is_given_up_before_its_turn_is_not_sent() {
        let (outbox, mut server, pending, fault) = outbox(4);
        pending.add(RequestId::Number(1), false);
        let first = outbox.send(b"first\n".to_vec(), Some(RequestId::Number(1)));
        let second = outbox.send(b"second\n".to_vec(), Some(RequestId::Number(2)));
        let third = outbox.send(b"third\n".to_vec(), None);
        let mut read = String::new();
        let sent = async {
            first.await.unwrap();
            assert!(second.await.is_err());
            third.await.unwrap();
            drop(outbox);
        };
        let (_, ()) = tokio::join!(server.read_to_string(&mut read), sent);
        assert_eq!(read, "first\nthird\n");
        assert!(fault.how().is_none());
    }

    #[tokio::test]
    async fn a4_answers_that_are_not_read_are_bounded() {
        let (outbox, _server, _, fault) = outbox(16);
        for _ in 0..REPLIES {
            outbox.reply(b"a reply of ours\n".to_vec());
            assert!(fault.how().is_none());
        }
        tokio::task::yield_now().await;
        for _ in 0..REPLIES {
            outbox.reply(b"a reply of ours\n".to_vec());
        }
        assert!(fault.how().unwrap().contains("without reading the answers"));
    }
}
