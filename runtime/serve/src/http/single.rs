//! Answers that are one message: JSON, if the message is there soon. The protocol library streams each answer in a session, which costs a
//! client and the server more.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes, Frame};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use super::priming::has_no_data;

/// The time for a message. After it the answer is a stream, whose comments keep proxies from closing the connection.
const SOON: Duration = Duration::from_millis(250);
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The answer as JSON if its first message comes soon and answers the request; else the stream.
///
/// Cancel safety: dropping the future drops the answer.
pub(crate) async fn single(
    answer: Response<BoxBody<Bytes, Infallible>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    if !is_stream(answer.headers()) {
        return answer;
    }
    let (mut head, mut rest) = answer.into_parts();
    let mut begun = VecDeque::new();
    let message = timeout(SOON, async {
        while let Some(Ok(frame)) = rest.frame().await {
            let Ok(event) = frame.into_data() else { continue };
            begun.push_back(event.clone());
            if !has_no_data(&event) {
                let message = message(&event).filter(|message| is_answer(message));
                // The stream is read to its end, which comes at once: a client can come back for one that is not.
                while message.is_some() && rest.frame().await.is_some() {}
                return message;
            }
        }
        None
    });
    let Some(message) = message.await.ok().flatten() else {
        return Response::from_parts(head, Begun { begun, rest }.boxed());
    };
    head.headers.remove(CACHE_CONTROL);
    head.headers.remove(NO_BUFFER);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(head, Full::new(message).boxed())
}

/// Whether an answer is a stream of events.
pub(crate) fn is_stream(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The message of an event. The protocol library writes it in one line.
fn message(event: &Bytes) -> Option<Bytes> {
    let line = event.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"data:"))?;
    let data = line.strip_prefix(b"data:")?.trim_ascii_start();
    Some(event.slice_ref(data))
}

/// Whether a message is the answer to a request: others have a method.
fn is_answer(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        id: Option<IgnoredAny>,
        method: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Kind>(message).is_ok_and(|kind| kind.id.is_some() && kind.method.is_none())
}

/// A stream of which some events were read.
struct Begun {
    begun: VecDeque<Bytes>,
    rest: BoxBody<Bytes, Infallible>,
}

impl Body for Begun {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.begun.pop_front() {
            Some(event) => Poll::Ready(Some(Ok(Frame::data(event)))),
            None => Pin::new(&mut self.rest).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.begun.is_empty() && self.rest.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use http_body_util::StreamBody;

    use super::*;

    /// A stream of one event, and whether it was read to its end.
    async fn answered(event: &'static str) -> (Response<BoxBody<Bytes, Infallible>>, bool) {
        let was_read = Arc::new(AtomicBool::new(false));
        let (mut event, read) = (Some(event), Arc::clone(&was_read));
        let events = futures_util::stream::poll_fn(move |_| {
            let event = event.take().map(|event| Ok(Frame::data(Bytes::from(event))));
            read.fetch_or(event.is_none(), Ordering::SeqCst);
            Poll::Ready(event)
        });
        let mut answer = Response::new(StreamBody::new(events).boxed());
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        let answer = single(answer).await;
        (answer, was_read.load(Ordering::SeqCst))
    }

    #[tokio::test]
    async fn o2_a_stream_whose_answer_is_json_is_read_to_its_end() {
        let (answer, was_read) = answered("id: a/1\ndata: {\"id\":1,\"result\":{}}\n\n").await;
        assert!(was_read && !is_stream(answer.headers()));
        let (stream, was_read) = answered("id: a/1\ndata: {\"method\":\"x\"}\n\n").await;
        assert!(!was_read && is_stream(stream.headers()));
    }
}
