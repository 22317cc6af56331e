//! How much of a provider's answer is read. A provider, and whoever sits between, is not trusted with the memory and the time of the program.

use std::time::Duration;

/// The bytes of one line or event of a stream. The largest that providers send have the whole answer once more, with encrypted reasoning.
pub(crate) const LINE: usize = 8 << 20;

/// The bytes of an answer that is one JSON document.
pub(crate) const DOCUMENT: usize = 16 << 20;

/// The bytes of a stream. Each token comes in an event of some 300 bytes.
pub(crate) const STREAM: usize = 128 << 20;

/// The JSON values of an event or a document. Each takes many times the memory of its text.
pub(crate) const VALUES: usize = 1_000_000;

/// The bytes of texts, reasoning and arguments that an answer consists of.
pub(crate) const CONTENT: usize = 16 << 20;

/// The tool calls of an answer.
pub(crate) const CALLS: usize = 512;

/// The blocks of an answer that go back to the provider: reasoning, and calls of its own tools.
pub(crate) const BLOCKS: usize = 4_096;

/// A count of tokens that a provider reports. No answer has so many, and sums of such counts do not overflow: those of a program over years,
/// and those of metrics.
pub(crate) const COUNT: u64 = 1_000_000_000;

/// The bytes of the body of an error that are read.
pub(crate) const ERROR_BODY: usize = 64 << 10;

/// The characters of a provider's words that an error repeats.
pub(crate) const QUOTE: usize = 2_000;

/// After this many bytes, other tasks and time limits have their turn.
pub(crate) const BYTES_AT_ONCE: usize = 32 << 10;

/// How long the usage is waited for after the reason to stop has come.
pub(crate) const AFTER_STOP: Duration = Duration::from_secs(5);

/// As [`AFTER_STOP`], for a protocol in which more of the answer can follow a reason to stop.
pub(crate) const AFTER_ANY_STOP: Duration = Duration::from_secs(10);
