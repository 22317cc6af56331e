//! A server that listens, and requests as text.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use onionskin::secret::Secret;
use onionskin::serve::{Http, Server, User};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::desk::{Ledger, server};

/// A server that listens, until it is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) end: Option<oneshot::Sender<()>>,
    pub(crate) ended: tokio::task::JoinHandle<()>,
}

impl Site {
    pub(crate) async fn new(configure: impl FnOnce(Http) -> Http) -> Self {
        let (server, ledger) = server().await;
        Self::with(&server, ledger, configure).await
    }

    pub(crate) async fn with(
        server: &Server,
        ledger: Arc<Ledger>,
        configure: impl FnOnce(Http) -> Http,
    ) -> Self {
        let listening = configure(server.http()).listen(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = listening.address();
        let (end, ends) = oneshot::channel::<()>();
        let ended = tokio::spawn(listening.run(async { drop(ends.await) }));
        Self { address, ledger, end: Some(end), ended }
    }

    pub(crate) async fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The status and the whole answer.
    pub(crate) async fn answer(&self, request: &str) -> (u16, String) {
        let mut stream = self.send(request).await;
        let mut bytes = Vec::new();
        tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await.unwrap().unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default(), text)
    }
}

pub(crate) fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    answer.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

pub(crate) fn tokens(http: Http) -> Http {
    let token = |text: &str| Secret::new(text.to_owned());
    http.token(token("ada-token"), User::new("ada").unwrap())
        .token(token("bob-token"), User::new("bob").unwrap())
}
