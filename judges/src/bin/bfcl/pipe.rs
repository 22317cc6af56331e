//! The standard streams, to the judge.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines, Stdin, Stdout};
use tokio::sync::Mutex;

use crate::BoxError;

/// Lines of JSON from and to the judge.
pub(crate) struct Pipe(Mutex<Streams>);

struct Streams {
    input: Lines<BufReader<Stdin>>,
    output: Stdout,
}

impl Pipe {
    pub(crate) fn new() -> Self {
        let input = BufReader::new(tokio::io::stdin()).lines();
        Self(Mutex::new(Streams { input, output: tokio::io::stdout() }))
    }

    /// The next line; `None` at the end.
    pub(crate) async fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, BoxError> {
        self.0.lock().await.read().await
    }

    pub(crate) async fn write(&self, message: &impl Serialize) -> Result<(), BoxError> {
        self.0.lock().await.write(message).await
    }

    /// Writes a line, and reads the answer. Other lines wait meanwhile.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, message: &impl Serialize) -> Result<T, BoxError> {
        let mut streams = self.0.lock().await;
        streams.write(message).await?;
        streams.read().await?.ok_or_else(|| "the judge has ended".into())
    }
}

impl Streams {
    async fn read<T: DeserializeOwned>(&mut self) -> Result<Option<T>, BoxError> {
        let line = self.input.next_line().await?;
        Ok(line.map(|line| serde_json::from_str(&line)).transpose()?)
    }

    async fn write(&mut self, message: &impl Serialize) -> Result<(), BoxError> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.output.write_all(&line).await?;
        Ok(self.output.flush().await?)
    }
}
