//! A server that listens on an address of its own.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use onionskin_core::CancellationToken;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::stalling::Stalling;
use super::{Bounds, Http, PATH};
use crate::calls::Calls;
use crate::error::ServeError;

/// The pause after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The time for the head of a request while three quarters of the connections are in use.
const CROWDED: Duration = Duration::from_secs(5);

/// The time for the answers of ended calls, and for streams to end.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// A server that listens, and does not serve yet. Created by [`Http::listen`].
#[must_use = "nothing is served until `run` is called"]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    router: axum::Router,
    calls: Arc<Calls>,
    bounds: Bounds,
    ended: CancellationToken,
}

impl Listening {
    pub(super) async fn bind(http: &Http, address: SocketAddr) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (calls, ended) = (Arc::<Calls>::default(), CancellationToken::new());
        Ok(Self {
            listener,
            address,
            router: http.router_until(&calls, ended.clone()),
            calls,
            bounds: http.bounds.clone(),
            ended,
        })
    }

    /// The address, with the port that the system chose for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until `end` is ready. Then no new call begins, calls in progress have the time of [`Http::grace`] to end, and all others are
    /// cancelled.
    ///
    /// Cancel safety: dropping the future ends the server and all calls at once.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Self { listener, address: _, router, calls, bounds, ended } = self;
        let _ends = ended.clone().drop_guard();
        let connections = GracefulShutdown::new();
        let permits = Arc::new(Semaphore::new(bounds.connections.min(Semaphore::MAX_PERMITS)));
        let accept = async {
            loop {
                // A connection waits in the system's queue until another one ends.
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::warn!("a connection was not accepted: {error}");
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                };
                // Where few connections are left, a client that sends nothing keeps its own for a short time.
                let is_crowded = permits.available_permits() < bounds.connections / 4;
                let patience = if is_crowded { bounds.patience.min(CROWDED) } else { bounds.patience };
                let connection = connection(stream, router.clone(), patience, bounds.patience);
                let connection = connections.watch(connection);
                let ended = ended.clone();
                tokio::spawn(async move {
                    let _permit = permit;
                    if let Some(Err(error)) = ended.run_until_cancelled(connection).await {
                        tracing::debug!("a connection ended: {error}");
                    }
                });
            }
        };
        tokio::select! {
            () = accept => {}
            () = end => {}
        }
        drop(listener);
        calls.end();
        if tokio::time::timeout(bounds.grace, calls.ended()).await.is_err() {
            calls.abort();
        }
        // The last answers are written. Streams of notifications have no end of their own.
        let mut written = pin!(connections.shutdown());
        let are_written = tokio::time::timeout(LAST_ANSWERS, &mut written).await.is_ok();
        ended.cancel();
        if !are_written {
            let _ = tokio::time::timeout(LAST_ANSWERS, written).await;
        }
    }
}

type Connection = http1::Connection<TokioIo<Stalling<TcpStream>>, TowerToHyperService<axum::Router>>;

fn connection(stream: TcpStream, router: axum::Router, head: Duration, write: Duration) -> Connection {
    // Answers are small, and a client waits for each of them.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Stalling::new(stream, write));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(64 * 1024)
        .serve_connection(io, TowerToHyperService::new(router))
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening").field("address", &self.address).finish_non_exhaustive()
    }
}
