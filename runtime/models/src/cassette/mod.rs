//! Recorded conversations of tests.

mod claim;
mod difference;
mod entry;
mod error;
mod failure;
mod file;
mod model;
mod readable;
mod stored;
mod stream;
mod tape;

use std::path::PathBuf;
use std::sync::Arc;

use onionskin_core::Model;

pub use difference::Difference;
pub use error::CassetteError;
pub use model::CassetteModel;

use tape::Tape;

/// The environment variable that records anew.
const VARIABLE: &str = "ONIONSKIN_RECORD";

/// The conversations of a test with a model, in a file: recorded once, then replayed without the model.
///
/// [`run`](Self::run) runs the test with a model that records or replays. A request of a replay is answered by the
/// entry of the file with exactly this request, in any order; equal requests are answered in recorded order. The pieces of a streamed
/// answer and the provider's errors are recorded too.
///
/// ```
/// use onionskin::models::Cassette;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Poet { instruction: "Answer in rhyme." } }
///
/// # async fn test() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("poet.yaml");
/// // In place of a real model: `GenaiModel::new("gpt-4o-mini")`, whose key only a recording needs.
/// let model = ScriptedModel::turns([ScriptedTurn::say("A crab on the slab.")]);
/// # Cassette::record(model, &file)
/// #     .run(async |model| {
/// #         Poet::builder().model(model).run("A crab?").await?;
/// #         Ok::<_, Box<dyn std::error::Error>>(())
/// #     })
/// #     .await?;
/// # let model = ScriptedModel::new();
/// # Cassette::new(model, file)
/// # /*
/// Cassette::new(model, "tests/recorded/poet.yaml")
/// # */
///     .run(async |model| {
///         let output = Poet::builder().model(model).run("A crab?").await?;
///         assert_eq!(output.text, "A crab on the slab.");
///         Ok(())
///     })
///     .await
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test()).unwrap();
/// ```
#[must_use = "`run` runs the test"]
#[derive(Debug)]
pub struct Cassette<M> {
    model: M,
    file: PathBuf,
    mode: Mode,
}

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// As the environment says.
    Environment,
    Record,
    Replay,
}

impl<M: Model> Cassette<M> {
    /// Replays the file. With the environment variable `ONIONSKIN_RECORD=1` it records the file anew.
    ///
    /// A replay asks `model` only what it supports, and needs no key. Cargo runs tests in the folder of their package, so the path may be
    /// relative to it.
    pub fn new(model: M, file: impl Into<PathBuf>) -> Self {
        Self { model, file: file.into(), mode: Mode::Environment }
    }

    /// Records the file anew, whatever the environment says.
    pub fn record(model: M, file: impl Into<PathBuf>) -> Self {
        Self { mode: Mode::Record, ..Self::new(model, file) }
    }

    /// Replays the file, whatever the environment says.
    pub fn replay(model: M, file: impl Into<PathBuf>) -> Self {
        Self { mode: Mode::Replay, ..Self::new(model, file) }
    }

    /// Runs a test with the model that records or replays. After the test, that model fails.
    ///
    /// The file is written if `test` returns `Ok`, by a rename: a failed recording leaves the earlier file. Secrets
    /// that the sessions know are masked in requests, and keys in the program's environment in answers and errors too. Other secrets that
    /// a model writes by itself, and the provider's data ([`ModelResponse::provider_data`]), are recorded as they are.
    ///
    /// Cancel safety: dropping the future ends the test, and writes nothing.
    ///
    /// [`ModelResponse::provider_data`]: onionskin_core::model::ModelResponse::provider_data
    ///
    /// # Errors
    /// Returns the error of `test`, or a [`CassetteError`]:
    /// - before the test, if there is no file, it cannot be read, or another recording of it in this program is not over,
    /// - in place of the test's result, for the first request that was not recorded, or whose result cannot be recorded,
    /// - after a test that returns `Ok`, if an entry of the file was not played, a request of a recording is not answered yet, or the
    ///   file cannot be written.
    pub async fn run<T, E: From<CassetteError>>(
        self,
        test: impl AsyncFnOnce(CassetteModel<M>) -> Result<T, E>,
    ) -> Result<T, E> {
        let tape = Arc::new(self.tape()?);
        let result = test(CassetteModel::new(self.model, Arc::clone(&tape))).await;
        let ended = tape.close();
        if let Some(fault) = ended.fault {
            return Err(fault.into());
        }
        let value = result?;
        ended.tape.finish(&self.file)?;
        Ok(value)
    }

    fn tape(&self) -> Result<Tape, CassetteError> {
        match self.mode {
            Mode::Record => Tape::recording(&self.file),
            Mode::Replay => Tape::replaying(&self.file),
            Mode::Environment => match std::env::var_os(VARIABLE) {
                None => Tape::replaying(&self.file),
                Some(value) if value.is_empty() || value == "0" => Tape::replaying(&self.file),
                Some(value) if value == "1" => Tape::recording(&self.file),
                Some(value) => Err(CassetteError::Variable { value: value.to_string_lossy().into_owned() }),
            },
        }
    }
}
