//! A bare client over HTTP: one connection, one request at a time.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Failure;
use crate::messages::{Generation, INITIALIZED, Request};

/// A connection.
pub(crate) struct Connection {
    stream: TcpStream,
    address: String,
    generation: Generation,
    /// The id of the session, if it has one.
    pub(crate) session: Option<String>,
    sent: Vec<u8>,
    read: Vec<u8>,
    /// The body of the last answer.
    pub(crate) body: Vec<u8>,
    /// The status of the last answer.
    pub(crate) status: u16,
}

impl Connection {
    /// Connects, and begins a session if the protocol has them.
    pub(crate) async fn begin(address: &str, generation: Generation) -> Result<Self, Failure> {
        let mut connection = Self::connect(address, generation).await?;
        if generation == Generation::Sessions {
            connection.initialize().await?;
        }
        Ok(connection)
    }

    pub(crate) async fn connect(address: &str, generation: Generation) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            address: address.to_owned(),
            generation,
            session: None,
            sent: Vec::new(),
            read: Vec::new(),
            body: Vec::new(),
            status: 0,
        })
    }

    /// Begins a session, in place of the one that it has.
    pub(crate) async fn initialize(&mut self) -> Result<(), Failure> {
        self.session = None;
        self.send("POST", &Request::initialize().body, "").await?;
        let session = self.answer().await?.ok_or("no session began")?;
        self.session = Some(session);
        self.send("POST", INITIALIZED, "").await?;
        self.answer().await?;
        Ok(())
    }

    /// Ends the session.
    pub(crate) async fn end(&mut self) -> Result<(), Failure> {
        self.send("DELETE", b"", "").await?;
        self.answer().await?;
        self.session = None;
        Ok(())
    }

    /// Sends a request and reads its whole answer.
    pub(crate) async fn request(&mut self, request: &Request) -> Result<&[u8], Failure> {
        self.send_request(request).await?;
        self.answer().await?;
        Ok(&self.body)
    }

    /// Sends a request.
    pub(crate) async fn send_request(&mut self, request: &Request) -> Result<(), Failure> {
        let mut headers = String::new();
        if self.generation == Generation::Stateless {
            headers = format!("mcp-method: {}\r\n", request.method);
            if let Some(name) = &request.name {
                headers += &format!("mcp-name: {name}\r\n");
            }
        }
        self.send("POST", &request.body, &headers).await
    }

    /// Sends a message that gets no answer of the protocol.
    pub(crate) async fn notify(&mut self, message: &[u8]) -> Result<(), Failure> {
        self.send("POST", message, "").await?;
        self.answer().await?;
        Ok(())
    }

    async fn send(&mut self, method: &str, body: &[u8], headers: &str) -> Result<(), Failure> {
        let Self { address, sent, generation, session, .. } = self;
        let session = session.as_ref().map(|id| format!("mcp-session-id: {id}\r\n")).unwrap_or_default();
        let version = generation.version();
        sent.clear();
        sent.extend_from_slice(
            format!(
                "{method} /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, \
                 text/event-stream\r\nmcp-protocol-version: {version}\r\n{headers}{session}content-length: {}\r\n\r\n",
                body.len()
            )
            .as_bytes(),
        );
        sent.extend_from_slice(body);
        Ok(self.stream.write_all(sent).await?)
    }

    /// Reads an answer to its end. Returns the id of the session that it begins.
    pub(crate) async fn answer(&mut self) -> Result<Option<String>, Failure> {
        let head_end = loop {
            if let Some(end) = self.read.windows(4).position(|part| part == b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8_lossy(&self.read[..head_end]).to_ascii_lowercase();
        let header = |name: &str| {
            head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        self.status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or("no status")?;
        let session = header("mcp-session-id").map(|_| session_id(&self.read[..head_end]));
        let length = header("content-length").map(str::parse::<usize>).transpose()?;
        let is_chunked = header("transfer-encoding") == Some("chunked");
        self.read.drain(..head_end);
        self.body.clear();
        if is_chunked {
            while self.chunk().await? {}
        } else {
            let length = length.unwrap_or_default();
            while self.read.len() < length {
                self.read_more().await?;
            }
            self.body.extend(self.read.drain(..length));
        }
        if self.status >= 400 {
            return Err(format!("status {}: {}", self.status, String::from_utf8_lossy(&self.body)).into());
        }
        Ok(session)
    }

    /// Reads one chunk of the body; false at the last one.
    pub(crate) async fn chunk(&mut self) -> Result<bool, Failure> {
        let line_end = loop {
            if let Some(end) = self.read.windows(2).position(|part| part == b"\r\n") {
                break end;
            }
            self.read_more().await?;
        };
        let size = usize::from_str_radix(std::str::from_utf8(&self.read[..line_end])?, 16)?;
        while self.read.len() < line_end + 2 + size + 2 {
            self.read_more().await?;
        }
        self.body.extend_from_slice(&self.read[line_end + 2..line_end + 2 + size]);
        self.read.drain(..line_end + 2 + size + 2);
        Ok(size > 0)
    }

    async fn read_more(&mut self) -> Result<(), Failure> {
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }
}

/// The id as the server wrote it: ids have capital letters.
fn session_id(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    line.and_then(|line| line.split_once(':')).map(|(_, id)| id.trim().to_owned()).unwrap_or_default()
}
