//! A provider on the loopback that says exactly what each case wants.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One answer of the provider.
#[derive(Clone, Debug)]
pub struct Wire {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Written behind the body again and again, until the client leaves.
    pub endless: Option<Vec<u8>>,
    /// Whether the connection breaks behind the body.
    pub breaks: bool,
    /// The bytes that the client gets at once; `None` for all.
    pub pieces: Option<usize>,
}

/// The bodies of the requests, in their order.
pub type Requests = Arc<Mutex<Vec<String>>>;

/// Answers one request after another, and then refuses connections. Returns the base URL, and what was asked.
pub async fn serve(wires: Vec<Wire>) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Requests::default();
    let notes = Arc::clone(&seen);
    tokio::spawn(async move {
        for wire in wires {
            let (mut stream, _) = listener.accept().await.unwrap();
            let Some(asked) = read_request(&mut stream).await else { continue };
            notes.lock().unwrap().push(asked);
            // The client may leave at any time.
            let _ = answer(&mut stream, &wire).await;
        }
    });
    (url, seen)
}

async fn answer(stream: &mut TcpStream, wire: &Wire) -> std::io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {} Said\r\nconnection: close\r\ntransfer-encoding: chunked\r\n", wire.status);
    for (name, value) in &wire.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    let mut out = head.into_bytes();
    for piece in wire.body.chunks(wire.pieces.unwrap_or(usize::MAX)) {
        chunk(&mut out, piece);
    }
    stream.write_all(&out).await?;
    if let Some(more) = &wire.endless {
        let mut out = Vec::new();
        while out.len() < 64 << 10 {
            chunk(&mut out, more);
        }
        loop {
            stream.write_all(&out).await?;
        }
    }
    if !wire.breaks {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.shutdown().await
}

fn chunk(out: &mut Vec<u8>, piece: &[u8]) {
    out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
    out.extend_from_slice(piece);
    out.extend_from_slice(b"\r\n");
}

/// The body of a request; `None` if the client left.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < head_end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(String::from_utf8_lossy(&bytes[head_end..]).into_owned())
}
