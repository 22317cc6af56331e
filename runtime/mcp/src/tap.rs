//! Keeps the beginning of a server's standard output: if it is not MCP, it shows people what they started.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

use super::secrets::Secrets;
use super::visible::visible;
use crate::mutex::lock;

/// The number of bytes to keep.
const LONGEST_BEGINNING: usize = 200;

/// The beginning of a stream.
#[derive(Clone, Default)]
pub(super) struct Beginning(Arc<Mutex<Vec<u8>>>);

impl Beginning {
    /// The first line that is not a JSON object, if there is one. Its cut may split a secret.
    pub(super) fn not_mcp(&self, secrets: &Secrets) -> Option<String> {
        let beginning = lock(&self.0);
        let text = String::from_utf8_lossy(&beginning);
        let text =
            if beginning.len() < LONGEST_BEGINNING { secrets.hide(text) } else { secrets.hide_cut(&text) };
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        (!line.starts_with('{')).then(|| visible(line))
    }
}

pin_project! {
    /// A stream whose beginning is kept.
    pub(super) struct Tap<R> {
        #[pin]
        inner: R,
        beginning: Beginning,
        room: usize,
    }
}

impl<R> Tap<R> {
    pub(super) fn new(inner: R, beginning: Beginning) -> Self {
        Self { inner, beginning, room: LONGEST_BEGINNING }
    }
}

impl<R: AsyncRead> AsyncRead for Tap<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.project();
        let before = buffer.filled().len();
        ready!(this.inner.poll_read(cx, buffer))?;
        if *this.room > 0 {
            let new = &buffer.filled()[before..];
            let new = &new[..new.len().min(*this.room)];
            *this.room -= new.len();
            lock(&this.beginning.0).extend_from_slice(new);
        }
        Poll::Ready(Ok(()))
    }
}
