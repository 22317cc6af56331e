//! A bare client over standard streams: a message on each line.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use crate::Failure;
use crate::messages::{Generation, INITIALIZED, Request, has};
use crate::process::Process;

/// The streams of a server.
pub(crate) struct Lines {
    write: ChildStdin,
    read: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Lines {
    /// Takes the streams, and initializes if the protocol wants it.
    pub(crate) async fn begin(process: &mut Process, generation: Generation) -> Result<Self, Failure> {
        let (write, read) = process.streams.take().ok_or("the streams are in use")?;
        let mut lines = Self { write, read, line: Vec::new() };
        if generation == Generation::Sessions {
            lines.send(&Request::initialize().body).await?;
            lines.read().await?;
            lines.send(INITIALIZED).await?;
        }
        Ok(lines)
    }

    /// Sends messages, each with its line end.
    pub(crate) async fn send(&mut self, message: &[u8]) -> Result<(), Failure> {
        self.line.clear();
        self.line.extend_from_slice(message);
        self.line.push(b'\n');
        self.write.write_all(&self.line).await?;
        Ok(self.write.flush().await?)
    }

    /// The next line.
    pub(crate) async fn read(&mut self) -> Result<&[u8], Failure> {
        self.line.clear();
        match self.read.read_until(b'\n', &mut self.line).await? {
            0 => Err("the server closed its stream".into()),
            _ if has(&self.line, "\"error\"") => Err(String::from_utf8_lossy(&self.line).into()),
            _ => Ok(&self.line),
        }
    }
}

/// The id in an answer.
pub(crate) fn id(line: &[u8]) -> Option<u64> {
    let at = line.windows(5).position(|part| part == b"\"id\":")? + 5;
    let digits = line[at..].iter().skip_while(|byte| **byte == b' ');
    let digits: Vec<u8> = digits.take_while(|byte| byte.is_ascii_digit()).copied().collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}
