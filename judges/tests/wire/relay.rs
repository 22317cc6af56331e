//! A server between a program and the mock, which shows a test the bytes between them.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::mock::Mock;

/// Starts a relay to this mock, and returns its address. `seen` gets the head and the body of each request; what it returns is kept
/// until the exchange has ended.
pub async fn start<T: Send + 'static>(
    mock: &Mock,
    seen: impl Fn(&str, &str) -> T + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let target: Arc<str> = mock.address.strip_prefix("http://").unwrap().into();
    let seen = Arc::new(seen);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (target, seen) = (Arc::clone(&target), Arc::clone(&seen));
            tokio::spawn(async move { pass(client, &target, &*seen).await });
        }
    });
    address
}

/// Passes one request on, and its answer back, until either side closes its connection.
async fn pass<T>(mut client: TcpStream, target: &str, seen: &(impl Fn(&str, &str) -> T + Sync)) {
    let mut bytes = Vec::new();
    let Some(end) = read_head(&mut client, &mut bytes).await else { return };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.to_ascii_lowercase();
    let length = length.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < end + 4 + length {
        if client.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let exchange = seen(&head, std::str::from_utf8(&bytes[end + 4..]).unwrap());
    let mut server = TcpStream::connect(target).await.unwrap();
    // One request on each connection.
    bytes.splice(end..end, *b"\r\nconnection: close");
    server.write_all(&bytes).await.unwrap();
    let (mut from_client, mut to_client) = client.split();
    let answer = async {
        let mut bytes = Vec::new();
        if let Some(end) = read_head(&mut server, &mut bytes).await {
            let head =
                String::from_utf8_lossy(&bytes[..end]).replace("Connection: keep-alive", "Connection: close");
            bytes.splice(..end, head.into_bytes());
        }
        // The client may be gone.
        let _ = to_client.write_all(&bytes).await;
        let _ = tokio::io::copy(&mut server, &mut to_client).await;
    };
    let mut nothing = [0; 1];
    tokio::select! {
        () = answer => {}
        _ = from_client.read(&mut nothing) => {}
    }
    drop(exchange);
}

/// Reads the head of a message and returns its length; `None` if the connection ends before.
async fn read_head(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<usize> {
    loop {
        if stream.read_buf(bytes).await.unwrap_or(0) == 0 {
            return None;
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            return Some(end);
        }
    }
}
