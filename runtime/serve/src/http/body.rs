//! Bodies of requests, read whole within a length and a time; and bodies of answers, which hold what must be free when they end.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Buf as _, Bytes, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::responses::{Refusal, refusal, unavailable};

/// The maximum number of bytes of all bodies in progress.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Reads bodies, together within a number of bytes.
#[derive(Clone)]
pub(crate) struct Bodies {
    /// The maximum number of bytes of one body.
    pub(crate) most: usize,
    pub(crate) patience: Duration,
    bytes: Arc<Semaphore>,
}

impl Bodies {
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Self {
            most,
            patience,
            bytes: Arc::new(Semaphore::new(MAX_BYTES.max(most).min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Reads a body. Its bytes count until the permit is dropped.
    ///
    /// # Errors
    /// Returns the answer to a client whose body is too long, too slow, or breaks off.
    pub(crate) async fn read<B>(&self, body: B) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal>
    where
        B: Body,
    {
        if usize::try_from(body.size_hint().lower()).map_or(true, |length| length > self.most) {
            return Err(self.too_long());
        }
        match tokio::time::timeout(self.patience, self.collect(body)).await {
            Ok(read) => read,
            Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, -32600, "the request did not arrive in time")),
        }
    }

    async fn collect<B: Body>(&self, body: B) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal> {
        let mut body = std::pin::pin!(body);
        let (mut read, mut held) = (Vec::new(), None::<OwnedSemaphorePermit>);
        while let Some(frame) = body.frame().await {
            let broken =
                |_| refusal(StatusCode::BAD_REQUEST, -32700, "the request cannot be read to its end");
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            let mut data = data;
            let length = data.remaining();
            let bytes = data.copy_to_bytes(length);
            if read.len() + bytes.len() > self.most {
                return Err(self.too_long());
            }
            let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            let permit = Arc::clone(&self.bytes).try_acquire_many_owned(count);
            let permit = permit.map_err(|_| unavailable("the server reads too many requests"))?;
            match &mut held {
                Some(held) => held.merge(permit),
                None => held = Some(permit),
            }
            read.extend_from_slice(&bytes);
        }
        Ok((read.into(), held))
    }

    fn too_long(&self) -> Refusal {
        let message = format!("the request is longer than {} bytes", self.most);
        refusal(StatusCode::PAYLOAD_TOO_LARGE, -32600, message)
    }
}

/// A body that holds something until it ends or is dropped.
pub(crate) struct Holding<G> {
    pub(crate) body: BoxBody<Bytes, Infallible>,
    pub(crate) held: Option<G>,
}

impl<G: Unpin> Body for Holding<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) {
            self.held = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
